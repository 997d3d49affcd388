import { z } from 'zod';
import { components } from './components.js';
import { attachedFile } from './file.js';
import type { AgentEvent } from '../events.js';
import { INTERACTION_STATUSES } from '../interaction.js';
import type { Immutable } from '../json.js';
import type { Message } from '../message.js';
import { count, eventError, json, text, time, usage } from './fields.js';

const ID = 'int_0199c0de-0000-7000-8000-000000000000';
const PATH = `/chats/chat_123/interactions/${ID}`;

/** Its component is made with those of the events: `event-schemas.ts`. */
const agentEvent: z.ZodType<AgentEvent> = z.any();
components.add(agentEvent, { id: 'AgentEvent' });

const toolCall = z.object({
  id: text,
  type: z.literal('function'),
  function: z.object({ name: text, arguments: text.describe('A JSON object as text.') }),
});

export const message: z.ZodType<Message> = z
  .discriminatedUnion('role', [
    z.object({ role: z.literal('system'), content: text }),
    z.object({ role: z.literal('user'), content: text }),
    z.object({
      role: z.literal('assistant'),
      content: text.nullable(),
      tool_calls: z.array(toolCall).optional(),
      provider_data: json.optional().describe('For its provider, such as reasoning signatures.'),
    }),
    z.object({ role: z.literal('tool'), tool_call_id: text, content: text }),
  ])
  .describe('A message of a conversation, shaped as OpenAI chat messages.')
  .register(components, { id: 'Message' });

export const messages = z.array(message).describe('OpenAI chat messages: the whole conversation.');

export const interactionStatus = z.enum(INTERACTION_STATUSES);

const interactionCut = z
  .object({
    agent_events: text.optional().meta({
      description: 'Streams all events after the last one in `agent_events`.',
      example: `${PATH}/events?after=812`,
    }),
    final_agent_state: text.optional().meta({
      description: 'Has the final state, which is null here although the interaction has ended.',
      example: PATH,
    }),
  })
  .register(components, { id: 'InteractionCut' });

export const interaction = z
  .object({
    id: text.meta({ example: ID }),
    chat_id: text.meta({ example: 'chat_123' }),
    parent_id: text.nullable().describe('The interaction before it.'),
    edited_from: text.nullable().describe('The interaction that it edits.'),
    status: interactionStatus,
    user_message: text,
    files: z.array(attachedFile).describe('That came with the message; they may be deleted since.'),
    answer: text.nullable().meta({
      description: 'The text of its last ANSWER; null while there is none.',
      example: '42',
    }),
    finish_reason: z.enum(['stop', 'length', 'content_filter']).nullable().meta({
      description:
        'Why that answer ended: `length` is the limit of output tokens. Null while there is none, and of one that a cancel cut off.',
      example: 'stop',
    }),
    agent: text.meta({ example: 'react' }),
    agent_id: text.meta({
      description: 'Its root agent. Events with another `agent_id` are those of child agents.',
      example: 'agent_0199c0de-0000-7000-8000-000000000000',
    }),
    model: text.meta({ example: 'openai/gpt-5-mini' }),
    agent_events: z
      .array(agentEvent)
      .describe(
        'TOOL_CALL, TOOL_RESULT, THINKING, MESSAGE and ANSWER events, in order: the first 2 MiB of them, in a chat the first 256 KiB. If there are more, `cut.agent_events` says where.',
      ),
    final_agent_state: z
      .object({ messages })
      .nullable()
      .describe(
        'null until it ended. In a chat there are at most 2 MiB of them, from the newest interaction back; up to 16 MiB elsewhere. If it is left out, `cut.final_agent_state` says where it is.',
      ),
    usage,
    error: eventError.nullable(),
    created_at: time,
    completed_at: time.nullable(),
    superseded_at: time.nullable().describe('Set while it is off the active branch.'),
    last_seq: count.describe('Records in its log.'),
    metadata: json,
    cut: interactionCut
      .nullable()
      .describe('Paths of what is left out here because it is long; null if everything is here.'),
  })
  .describe('One user message and the work that answers it.')
  .register(components, { id: 'Interaction' });

/** User message and the work that answers it. Times are ISO 8601 in UTC. */
export type Interaction = Immutable<z.infer<typeof interaction>>;
