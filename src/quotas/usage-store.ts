import type { Usage } from '../protocol/interaction.js';

export interface UsedBytes {
  readonly total: number;
  /** Bytes of files alone. */
  readonly files: number;
}

export const USAGE_KEYS = ['day', 'model', 'user'] as const;
export type UsageKey = (typeof USAGE_KEYS)[number];

export interface UsageQuery {
  /** Undefined: of each tenant. */
  readonly tenant_id: string | undefined;
  readonly by: UsageKey;
  /** The first and the last day, in UTC: `2026-01-15`. */
  readonly since: string;
  readonly until: string;
  readonly limit: number;
}

/** The usage of those interactions of a tenant that have the same day, model or user. */
export interface UsageSum {
  readonly tenant_id: string;
  /** The day, the model or the id of the user. */
  readonly key: string;
  /** By model: those in which it had a turn. */
  readonly interactions: number;
  readonly usage: Usage;
  /** Tokens of turns whose price was not known. */
  readonly unpriced_tokens: number;
}

/** Days for which the usage of deleted chats is kept. */
export const USAGE_DAYS_KEPT = 400;

/** Port: the usage of tenants. A start checks some quotas itself. */
export abstract class UsageStore {
  /**
   * Input and output tokens of the interactions that the tenant has started or retried since then,
   * those of deleted chats included. Knows one day at least.
   */
  abstract countTokens(tenantId: string, since: string): Promise<number>;
  /**
   * About the bytes of the tenant's chats, and of its files. Those of a chat are its messages, also
   * those that it starts from, its records and its requests, as JSON. A database counts an
   * interaction when it has ended. A deleted file counts until its bytes are removed.
   */
  abstract countBytes(tenantId: string): Promise<UsedBytes>;
  /** Sums the usage of all interactions of a chat, also of those off its active branch. */
  abstract sumOfChat(chatUid: string): Promise<Usage>;
  /**
   * Sums the usage of the interactions that were started on these days, those of deleted chats
   * included, and not those of imported chats. A database counts an interaction that was retried on
   * the day of the retry. By model, each turn counts at its own. The latest days first, then what
   * cost most, then what has most tokens.
   */
  abstract sumUsage(query: UsageQuery): Promise<UsageSum[]>;
}
