import type { Tone } from '../../ui/status';
import type { CallItem } from '../items/items';

export type CallState =
  | 'writing'
  | 'waiting'
  | 'asking'
  | 'client'
  | 'pending'
  | 'running'
  | 'done'
  | 'failed'
  | 'rejected'
  | 'unknown';

export const TONES: Readonly<Record<CallState, Tone>> = {
  writing: 'run',
  waiting: 'wait',
  asking: 'wait',
  client: 'wait',
  pending: 'idle',
  running: 'run',
  done: 'good',
  failed: 'bad',
  rejected: 'idle',
  unknown: 'idle',
};

/** `isActive`: its turn has not ended. */
export function stateOf(
  { call, request, result, hasStarted }: CallItem,
  isActive: boolean,
): CallState {
  if (request?.settlement?.approved === false) return 'rejected';
  if (result) return result.is_error ? 'failed' : 'done';
  if (!isActive) return 'unknown';
  if (!call) return 'writing';
  if (request?.status === 'pending')
    return ({ approval: 'waiting', input: 'asking', tool: 'client' } as const)[request.kind];
  return hasStarted ? 'running' : 'pending';
}
