import { createHash } from 'node:crypto';

/**
 * The span of something that an interaction does, named so that every process gives it the same id:
 * one that goes on with the interaction needs no word of those before it.
 */
export type SpanKey =
  | readonly ['root']
  | readonly ['agent', epoch: number, agent_id: string]
  | readonly ['model', epoch: number, key: string]
  | readonly ['tool', epoch: number, call_id: string]
  | readonly ['wait', request_id: string];

/** 16 hex digits. */
export function spanIdOf(interactionId: string, key: SpanKey): string {
  return digest(`${interactionId} ${key.join(' ')}`).slice(0, 16);
}

/** 32 hex digits, of an interaction whose start came without a trace. */
export function traceIdOf(interactionId: string): string {
  return digest(interactionId).slice(0, 32);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
