import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordBody, RecordOf } from '../../protocol/events.js';

/** How long a suspect may run without a record, in milliseconds, before others that were lost are taken up beside it. */
const TURN_MS = 5_000;
/** So often in a row it gives way to them: what takes the server down later than that is found out all the same. */
const MAX_TURNS = 3;

const NOTICE: RecordOf<'NOTICE'> = {
  type: 'NOTICE',
  code: 'slow_after_loss',
  message: 'The server was lost more than once while this interaction ran. It runs again.',
};

/** Calls `tell` with what is to be written when a suspect's turn is over; answers how to call that off. */
export function limitTurn(
  records: readonly LogRecord[],
  tell: (notice: RecordOf<'NOTICE'>) => void,
): () => void {
  if (countTurns(records) >= MAX_TURNS) return () => {};
  const timer = setTimeout(() => tell(NOTICE), TURN_MS).unref();
  return () => clearTimeout(timer);
}

/** Since it last wrote anything else. */
function countTurns(records: readonly LogRecord[]): number {
  const bodies = records.map(({ body }) => body);
  const last = bodies.findLastIndex((body) => body.type !== 'RESUMED' && !isTurn(body));
  return bodies.slice(last + 1).filter(isTurn).length;
}

function isTurn(body: RecordBody): boolean {
  return body.type === 'NOTICE' && body.code === NOTICE.code;
}
