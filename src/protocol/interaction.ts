import type { z } from 'zod';
import type { EventError } from './events.js';
import type { Immutable } from './json.js';
import { ACTIVE_STATUSES, FINAL_STATUSES } from './wire/fields.js';
import type { VISIBILITIES, usage } from './wire/fields.js';

/** Occupies the chat: at most one interaction per chat has one of these (I9). */
export type ActiveStatus = (typeof ACTIVE_STATUSES)[number];
export type FinalStatus = (typeof FINAL_STATUSES)[number];
export type InteractionStatus = 'QUEUED' | ActiveStatus | FinalStatus;

export const INTERACTION_STATUSES = ['QUEUED', ...ACTIVE_STATUSES, ...FINAL_STATUSES] as const;

/** True if the interaction waits for a person or a client. */
export function isWaiting(status: InteractionStatus): boolean {
  return status === 'WAITING_APPROVAL' || status === 'WAITING_INPUT';
}

export function isFinal(status: InteractionStatus): status is FinalStatus {
  return (FINAL_STATUSES as readonly string[]).includes(status);
}

/** Tokens and cost, summed over model turns. What no turn has is absent, not 0. */
export type Usage = Immutable<z.infer<typeof usage>>;

export const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0 };

/** The sum, of tokens at most the largest number that is exact. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sumOf = (name: 'cached_tokens' | 'cache_write_tokens' | 'reasoning_tokens') => {
    const counts = [one[name], other[name]].filter((count) => count !== undefined);
    return counts.length > 0 && { [name]: addTokens(...counts) };
  };
  const costs = [one.cost_usd, other.cost_usd].filter((cost) => cost !== undefined);
  return {
    input_tokens: addTokens(one.input_tokens, other.input_tokens),
    output_tokens: addTokens(one.output_tokens, other.output_tokens),
    ...sumOf('cached_tokens'),
    ...sumOf('cache_write_tokens'),
    ...sumOf('reasoning_tokens'),
    ...(costs.length > 0 && { cost_usd: toDollars(costs.reduce((sum, cost) => sum + cost, 0)) }),
  };
}

/** Rounded to 1e-10 dollars, so that sums have no stray digits, and bounded as tokens are. */
export function toDollars(amount: number): number {
  return Number(Math.min(amount, Number.MAX_SAFE_INTEGER).toFixed(10));
}

export function addTokens(...counts: readonly number[]): number {
  return Math.min(
    counts.reduce((sum, count) => sum + count, 0),
    Number.MAX_SAFE_INTEGER,
  );
}

/** `private`: a chat for its owner and admins of the tenant; `tenant`: for all of the tenant. */
export type Visibility = (typeof VISIBILITIES)[number];

export type InteractionError = EventError;
