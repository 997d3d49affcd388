import type { InteractionStore } from '../../persistence/interaction.store.js';
import type { RecordStore } from '../../persistence/record.store.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { markOf, newestMarks } from './context-marks.js';
import type { ContextMark } from './context-marks.js';

/** Interactions that are read at once, and how often. */
const PAGE = 100;
const MAX_PAGES = 20;

/** Marks of the interactions before this one on its branch, loaded on demand. */
export class EarlierMarks {
  /** Marks of the newest interaction that has any; empty before they are loaded. */
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
    const { chat_uid, parent_id } = this.interaction;
    if (parent_id === null) return;
    let before = this.interaction.id;
    for (let page = 0; page < MAX_PAGES; page++) {
      const wanted = { chat_uid, superseded: false, limit: PAGE, before };
      const rows = await this.stores.interactions.listInteractions(wanted);
      this.marks = await this.newestOf(rows);
      const last = rows.at(-1);
      if (this.marks.length > 0 || !last || rows.length < PAGE) return;
      before = last.id;
    }
  }

  /** @param rows newest first */
  private async newestOf(rows: readonly InteractionRow[]): Promise<readonly ContextMark[]> {
    if (rows.length === 0) return [];
    const records = await this.stores.records.readRecordsOfTypes(
      rows.map(({ id }) => id),
      ['NOTICE'],
    );
    for (const { id, agent_id } of rows) {
      const own = records.filter((r) => r.interaction_id === id && r.agent_id === agent_id);
      const marks = own.flatMap(({ hidden }) => markOf(hidden) ?? []);
      if (marks.length > 0) return newestMarks(marks);
    }
    return [];
  }
}
