/** A start that quotas count. `tokens` is known once its interaction is deleted. */
interface CountedStart {
  readonly interaction_id: string;
  readonly at: string;
  readonly tokens: number | undefined;
}

/** The time that quotas look back, a day, and an hour more. */
const RETENTION_MS = 25 * 3_600_000;

/** The starts and retries of the last day by tenant, those of deleted chats included. */
export class StartHistory {
  readonly #byTenant = new Map<string, Map<string, CountedStart>>();

  /** Replaces an earlier start of the interaction, and forgets those that are too old. */
  add(tenantId: string, interaction_id: string, at: string): void {
    const starts = this.#byTenant.get(tenantId) ?? new Map<string, CountedStart>();
    this.#byTenant.set(tenantId, starts);
    starts.delete(interaction_id);
    starts.set(interaction_id, { interaction_id, at, tokens: undefined });
    const oldest = new Date(Date.parse(at) - RETENTION_MS).toISOString();
    for (const start of starts.values()) {
      if (start.at >= oldest) return;
      starts.delete(start.interaction_id);
    }
  }

  /** Called when its interaction is deleted. */
  settle(tenantId: string, interaction_id: string, tokens: number): void {
    const starts = this.#byTenant.get(tenantId);
    const start = starts?.get(interaction_id);
    if (start) starts!.set(interaction_id, { ...start, tokens });
  }

  list(tenantId: string): CountedStart[] {
    return [...(this.#byTenant.get(tenantId)?.values() ?? [])];
  }
}
