import type { ArchivedInteraction } from '../../persistence/chat-archive.js';

/** Finds out which interaction is the head of a chat whose log may lack the one that it names. */
export class HeadChoice {
  private named: string | undefined;
  private newestOnBranch: string | undefined;
  private newest: string | undefined;
  private readonly begun = new Set<string>();

  /** @param isNamed whether the log says that it is the head */
  note({ id, begun, superseded_at }: ArchivedInteraction, isNamed: boolean): void {
    if (!begun) return;
    this.begun.add(id);
    this.newest = id;
    if (superseded_at === null) this.newestOnBranch = id;
    if (isNamed) this.named = id;
  }

  get id(): string | null {
    return this.named ?? this.newestOnBranch ?? this.newest ?? null;
  }

  /** Whether something can go on from it. */
  hasBegun(id: string | null): id is string {
    return id !== null && this.begun.has(id);
  }
}
