import type { Decider } from './events.js';

/** `userId`: null for the server itself. */
export function deciderOf(userId: string | null): Decider {
  return userId === null ? { kind: 'system' } : { kind: 'user', user_id: userId };
}
