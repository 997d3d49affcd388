import { z } from 'zod';
import type { Immutable } from '../protocol/json.js';
import { count, eventError, finishReason, text, time, usage } from '../protocol/wire/fields.js';
import { components } from '../protocol/wire/components.js';

const spanEvent = z
  .object({
    name: text.meta({
      description: 'The code of a notice or an error; `resumed`, `cancelled`, `agent_intervened`.',
      example: 'model_retry',
    }),
    at: time,
    seq: count.describe('Of its record.'),
    message: text.optional(),
  })
  .describe('Something that happened within a span at once: a retry, a resume, a note, an error.')
  .register(components, { id: 'SpanEvent' });

const span = z
  .object({
    id: text.meta({
      description: '16 hex digits; the same in traces.',
      example: '9f86d081884c7d65',
    }),
    parent_id: text.nullable().describe('null: of the whole interaction.'),
    kind: z
      .enum(['interaction', 'agent', 'model', 'tool', 'wait'])
      .describe(
        '`agent`: what an agent did in one run, and so one for each time that the interaction was taken up. `wait`: for a person, or for a tool of the client.',
      ),
    name: text.meta({
      description:
        'The type of the agent, the model, the tool, or the kind of the request: `approval`, `question`, `client_tool`.',
      example: 'calculator',
    }),
    agent_id: text.meta({ example: 'agent_0199c0de-0000-7000-8000-000000000000' }),
    epoch: count.describe('The number of the run.'),
    follows_id: text
      .optional()
      .describe('Of an agent: its span in the run before, from which it goes on.'),
    started_at: time,
    ended_at: time.nullable(),
    status: z
      .enum(['running', 'ok', 'error', 'cancelled', 'lost'])
      .describe('`lost`: with the process that ran it.'),
    seq: count.describe('The record that says most of it: its end, else its beginning.'),
    events: z.array(spanEvent),
    error: eventError.optional(),
    usage: usage.optional().describe('Of a model turn.'),
    finish_reason: finishReason.optional().describe('Of a model turn.'),
    tool_call_id: text.optional().meta({ example: 'call_1' }),
    request_id: text.optional().meta({ description: 'Of a wait.', example: 'approval_1' }),
    outcome: text.optional().meta({
      description:
        'Of a wait: `approved`, `rejected`, `answered`, `declined`, `failed`, `timeout` or `cancel`.',
      example: 'approved',
    }),
  })
  .describe('Something of an interaction that took time.')
  .register(components, { id: 'Span' });

export const spanList = z
  .object({
    trace_id: text.meta({
      description: 'Of its trace, if traces are exported: of the `traceparent` that started it.',
      example: '4bf92f3577b34da6a3ce929d0e0e4736',
    }),
    items: z.array(span).describe('Each after its parent.'),
    truncated: z
      .boolean()
      .describe('True: the log is too long, and the spans of its end are missing.'),
  })
  .register(components, { id: 'Timeline' });

export type SpanEvent = Immutable<z.infer<typeof spanEvent>>;
/** `lost`: the process that ran it was lost. */
export type SpanStatus = Span['status'];
/** Span as clients get it, with the texts for traces, where these are recorded. */
export type Span = Immutable<z.infer<typeof span>> & {
  /** The user's message, or JSON text of a call's arguments. */
  readonly input?: string;
  /** Text of the model or output of the tool. */
  readonly output?: string;
};
export type SpanList = Immutable<z.infer<typeof spanList>>;
