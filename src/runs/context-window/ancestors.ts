import type { InteractionStore } from '../../persistence/interaction.store.js';
import type { RecordStore } from '../../persistence/record.store.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { markOf, newestMarks } from './context-marks.js';
import type { ContextMark } from './context-marks.js';

/** Interactions that are read at once, and how often. */
const PAGE = 100;
const MAX_PAGES = 20;

/** The interactions before this one on its branch, newest first, in pages. */
export async function* listAncestors(
  store: Pick<InteractionStore, 'listInteractions'>,
  { id, chat_uid, parent_id }: InteractionRow,
): AsyncGenerator<readonly InteractionRow[], void> {
  let [before, next] = [id, parent_id];
  for (let page = 0; page < MAX_PAGES && next; page++) {
    const wanted = { chat_uid, superseded: false, limit: PAGE, before };
    const rows: InteractionRow[] = [];
    for (const row of await store.listInteractions(wanted)) {
      if (row.id !== next) break; // another branch is active now
      rows.push(row);
      next = row.parent_id;
    }
    if (rows.length === 0) return;
    yield rows;
    before = rows.at(-1)!.id;
  }
}

/** The newest marks of the root agents of these interactions, by interaction. */
export async function marksOf(
  store: Pick<RecordStore, 'readRecordsOfTypes'>,
  rows: readonly InteractionRow[],
): Promise<ReadonlyMap<string, readonly ContextMark[]>> {
  const records = await store.readRecordsOfTypes(
    rows.map(({ id }) => id),
    ['NOTICE'],
  );
  const found = new Map<string, readonly ContextMark[]>();
  for (const { id, agent_id } of rows) {
    const own = records.filter((r) => r.interaction_id === id && r.agent_id === agent_id);
    const marks = own.flatMap(({ hidden }) => markOf(hidden) ?? []);
    if (marks.length > 0) found.set(id, newestMarks(marks));
  }
  return found;
}
