import type { InteractionStore } from '../../persistence/interaction.store.js';
import type { RecordStore } from '../../persistence/record.store.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { listAncestors, marksOf } from './ancestors.js';
import type { ContextMark } from './context-marks.js';

/** Marks of the interactions before this one on its branch, loaded on demand. */
export class EarlierMarks {
  /** Marks of the newest interaction with marks; empty before they are loaded. */
  marks: readonly ContextMark[] = [];
  private loading: Promise<void> | undefined;

  constructor(
    private readonly stores: {
      readonly interactions: Pick<InteractionStore, 'listInteractions'>;
      readonly records: Pick<RecordStore, 'readRecordsOfTypes'>;
    },
    private readonly interaction: InteractionRow,
  ) {}

  load(): Promise<void> {
    this.loading ??= this.read();
    return this.loading;
  }

  private async read(): Promise<void> {
    const { interactions, records } = this.stores;
    for await (const rows of listAncestors(interactions, this.interaction)) {
      const found = await marksOf(records, rows);
      const newest = rows.find(({ id }) => found.has(id));
      if (newest) return void (this.marks = found.get(newest.id)!);
    }
  }
}
