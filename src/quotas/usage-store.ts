export interface UsedBytes {
  readonly total: number;
  /** Those of files. */
  readonly files: number;
}

/** Port: usage of the quotas of a tenant, except of those that a start checks itself. */
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
}
