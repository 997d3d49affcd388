import { jsonBytes } from '../kernel/page-cursor.js';
import type { FinalState, InteractionStore } from '../persistence/interaction.store.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';

type States = Pick<InteractionStore, 'findFinalState' | 'hasFinalState'>;

/**
 * Final states of the interactions of a page, from the newest on. The state of a parent is the
 * beginning of its child's: it is taken from there, and fits wherever its child's does.
 */
export class PageStates {
  private readonly rows: ReadonlyMap<string, InteractionRow>;
  private readonly tooLong = new Set<string>();
  /** The one that was read last. */
  private known: FinalState | undefined;

  constructor(
    private readonly interactions: States,
    rows: readonly InteractionRow[],
  ) {
    this.rows = new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Undefined if it has more than `bytes`, or if the interaction has not ended. `bytes` may not be
   * more than before.
   */
  async find({ id, parent_id }: InteractionRow, bytes: number): Promise<FinalState | undefined> {
    if (this.tooLong.has(id)) return undefined;
    const known = this.known && parentIn(this.known, id);
    const state = known ?? (await this.interactions.findFinalState(id, bytes));
    this.known = state ?? this.known;
    if (!state) await this.skipTooLong(parent_id, bytes);
    return state && state.bytes <= bytes ? state : undefined;
  }

  /** Finds by bisection how many of the ancestors on the page are too long as well. */
  private async skipTooLong(parentId: string | null, bytes: number): Promise<void> {
    const line = this.lineOf(parentId);
    let [first, end] = [0, line.length];
    while (first < end) {
      const middle = Math.floor((first + end) / 2);
      if (await this.interactions.hasFinalState(line[middle]!, bytes)) end = middle;
      else first = middle + 1;
    }
    for (const id of line.slice(0, first)) this.tooLong.add(id);
  }

  /** An interaction of the page and its ancestors there. */
  private lineOf(id: string | null): string[] {
    const line: string[] = [];
    for (let row = this.rows.get(id ?? ''); row; row = this.rows.get(row.parent_id ?? ''))
      line.push(row.id);
    return line;
  }
}

/** The state of its parent. */
function parentIn({ parts, bytes }: FinalState, id: string): FinalState | undefined {
  if (parts.at(-2)?.id !== id) return undefined;
  return { parts: parts.slice(0, -1), bytes: bytes - jsonBytes(parts.at(-1)!.messages) };
}
