import type { InteractionRow } from '../../persistence/rows/store-rows.js';
import type { RunServices } from '../run-services.js';

const MINUTE_MS = 60_000;
/** No more than so many interactions of a chat are looked at. */
const MAX_INTERACTIONS = 20;

/** Lets `TOOL_CALLS_PER_MINUTE` count what earlier interactions of the chat have called in other processes. */
export async function takeRecentCalls(
  {
    interactions,
    records,
    rates,
    config,
    clock,
  }: Pick<RunServices, 'interactions' | 'records' | 'rates' | 'config' | 'clock'>,
  { id, chat_id }: Pick<InteractionRow, 'id' | 'chat_id'>,
): Promise<void> {
  const limit = config.toolCallsPerMinute;
  if (limit === 0 || !config.redisUrl) return; // what one process runs it has seen
  const since = clock.now().getTime() - MINUTE_MS;
  const page = { chat_id, superseded: true, limit: MAX_INTERACTIONS };
  const recent = (await interactions.listInteractions(page)).filter(
    (row) => row.id !== id && row.completed_at !== null && Date.parse(row.completed_at) > since,
  );
  if (recent.length === 0) return;
  const ids = recent.map((row) => row.id);
  const calls = (await records.readRecordsOfTypes(ids, ['TOOL_CALL'])).map((record) => ({
    chat_id,
    use_key: `${record.interaction_id}/${record.key}`,
    at: Date.parse(record.at),
  }));
  for (const call of calls.toSorted((a, b) => a.at - b.at)) rates.admit(call, limit);
}
