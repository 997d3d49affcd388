import type { Attributes, HrTime, SpanContext } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { cutText } from '../../kernel/text/cut-text.js';
import type { InteractionRef } from '../../telemetry/telemetry-events.js';
import { ERRORS, NOTICES } from '../../protocol/codes.js';
import type { Usage } from '../../protocol/interaction.js';
import type { TraceContext } from '../../timeline/trace-context.js';
import { GEN_AI, splitModel } from './gen-ai.js';
import { CLIENT, ERROR, INTERNAL, SAMPLED, UNSET } from './otel-values.js';
import type { Span } from '../../timeline/span.js';

/** Names come from clients and models. */
const MAX_NAME = 200;
/** Events of the timeline, beside notices and errors. */
const OWN_EVENTS = new Set(['resumed', 'cancelled']);

export interface SpanSource {
  readonly interaction: Pick<InteractionRef, 'id' | 'chat_id' | 'tenant_id'>;
  readonly trace: TraceContext;
  readonly resource: Resource;
  /** False: nothing that people, agents or tools have said. */
  readonly withTexts: boolean;
}

/** A span of a timeline that has ended, as it is exported. */
export function toOtelSpan(span: Span, source: SpanSource): ReadableSpan {
  const { trace, resource, interaction, withTexts } = source;
  const contextOf = (spanId: string): SpanContext => ({
    ...{ traceId: trace.trace_id, spanId, traceFlags: SAMPLED },
  });
  const parent = span.parent_id ?? trace.parent_span_id;
  const startTime = timeOf(span.started_at);
  const endTime = timeOf(span.ended_at ?? span.started_at);
  return {
    name: nameOf(span),
    kind: span.kind === 'model' ? CLIENT : INTERNAL,
    spanContext: () => contextOf(span.id),
    ...(parent !== undefined && {
      parentSpanContext: { ...contextOf(parent), isRemote: span.parent_id === null },
    }),
    ...{ startTime, endTime, duration: durationOf(startTime, endTime), ended: true, resource },
    status: statusOf(span, withTexts),
    attributes: {
      [GEN_AI.conversation]: interaction.chat_id,
      'parley.interaction_id': interaction.id,
      'parley.tenant_id': interaction.tenant_id,
      'parley.epoch': span.epoch,
      'parley.seq': span.seq,
      'parley.agent_id': span.agent_id,
      ...attributesOf(span),
    },
    links: span.follows_id === undefined ? [] : [{ context: contextOf(span.follows_id) }],
    events: span.events.map(({ name, at, seq, message }) => ({
      ...{ name: cutText(name, MAX_NAME), time: timeOf(at) },
      attributes: {
        'parley.seq': seq,
        ...(message !== undefined && (withTexts || isOfServer(name)) && { message }),
      },
    })),
    instrumentationScope: { name: 'parley' },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  };
}

function nameOf({ kind, name }: Span): string {
  const words = {
    ...{ interaction: 'interaction', agent: 'invoke_agent', model: 'chat' },
    ...{ tool: 'execute_tool', wait: 'wait' },
  };
  const shown = kind === 'model' ? splitModel(name)[1] : name;
  return cutText(`${words[kind]} ${shown}`, MAX_NAME);
}

function attributesOf(span: Span): Attributes {
  const { error, status, tool_call_id } = span;
  return {
    ...ofKind(span),
    ...(status === 'error' && { 'error.type': error?.code ?? 'error' }),
    ...(status === 'lost' && { 'error.type': 'process_lost' }),
    ...(tool_call_id !== undefined && { [GEN_AI.toolCall]: tool_call_id }),
  };
}

function ofKind(span: Span): Attributes {
  const { kind, input, output } = span;
  const name = cutText(span.name, MAX_NAME);
  switch (kind) {
    case 'interaction':
      return { [GEN_AI.agent]: name, ...messages(GEN_AI.inputMessages, 'user', input) };
    case 'agent':
      return { [GEN_AI.operation]: 'invoke_agent', [GEN_AI.agent]: name };
    case 'model': {
      const [provider, model] = splitModel(name);
      return {
        ...{ [GEN_AI.operation]: 'chat', [GEN_AI.provider]: provider },
        ...{ [GEN_AI.requestModel]: model, [GEN_AI.responseModel]: model },
        ...(span.finish_reason && { [GEN_AI.finishReasons]: [span.finish_reason] }),
        ...(span.usage && ofUsage(span.usage)),
        ...messages(GEN_AI.outputMessages, 'assistant', output),
      };
    }
    case 'tool':
      return {
        ...{ [GEN_AI.operation]: 'execute_tool', [GEN_AI.tool]: name },
        [GEN_AI.toolType]: 'function',
        ...(input !== undefined && { [GEN_AI.toolArguments]: input }),
        ...(output !== undefined && { [GEN_AI.toolResult]: output }),
      };
    case 'wait':
      return {
        'parley.request.kind': name,
        ...(span.request_id !== undefined && { 'parley.request.id': span.request_id }),
        ...(span.outcome !== undefined && { 'parley.request.outcome': span.outcome }),
      };
  }
}

function ofUsage(usage: Usage): Attributes {
  const { cached_tokens, cache_write_tokens, reasoning_tokens, cost_usd } = usage;
  return {
    [GEN_AI.inputTokens]: usage.input_tokens,
    [GEN_AI.outputTokens]: usage.output_tokens,
    ...(cached_tokens !== undefined && { [GEN_AI.cachedTokens]: cached_tokens }),
    ...(cache_write_tokens !== undefined && { [GEN_AI.cacheWriteTokens]: cache_write_tokens }),
    ...(reasoning_tokens !== undefined && { [GEN_AI.reasoningTokens]: reasoning_tokens }),
    ...(cost_usd !== undefined && { 'parley.cost_usd': cost_usd }),
  };
}

function messages(attribute: string, role: string, text: string | undefined): Attributes {
  if (text === undefined) return {};
  return { [attribute]: JSON.stringify([{ role, parts: [{ type: 'text', content: text }] }]) };
}

/** The code of a message that the server itself writes; tools and agents may use any code. */
function isOfServer(code: string): boolean {
  if (code === 'deliberated') return false; // the words of a model
  return OWN_EVENTS.has(code) || Object.hasOwn(NOTICES, code) || Object.hasOwn(ERRORS, code);
}

function statusOf({ kind, status, error }: Span, withTexts: boolean): ReadableSpan['status'] {
  if (status === 'ok' || status === 'cancelled') return { code: UNSET };
  if (status === 'lost') return { code: ERROR, message: 'Its process was lost.' };
  if (status === 'running') return { code: UNSET };
  const isOutput = kind === 'tool'; // the beginning of it
  return { code: ERROR, ...(error && (withTexts || !isOutput) && { message: error.message }) };
}

function timeOf(at: string): HrTime {
  const ms = Date.parse(at);
  return [Math.trunc(ms / 1000), (ms % 1000) * 1_000_000];
}

function durationOf([seconds, nanos]: HrTime, [endSeconds, endNanos]: HrTime): HrTime {
  const [s, n] = [endSeconds - seconds, endNanos - nanos];
  return n < 0 ? [s - 1, n + 1_000_000_000] : [s, n];
}
