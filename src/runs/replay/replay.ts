import { canonicalJson } from '../../kernel/json/json.js';
import type { RecordBody } from '../../protocol/events.js';
import type { RunServices } from '../scope/run-services.js';
import { observeRun, unanswered } from './observe-run.js';
import type { RecordedInteraction } from './observe-run.js';

/** Where a replay leaves the log. */
export interface Difference {
  /** The first record of the log that the replay does not come to. */
  readonly seq: number;
  /** Undefined: the log ends before it. */
  readonly recorded: RecordBody | undefined;
  /** A record, or the model that it asks. */
  readonly replayed: RecordBody | { readonly asks_model: string };
}

/** They depend on the time, on the number of blocks, and on the version that wrote the log. */
const INCIDENTAL = ['block_id', 'duration_ms', 'by', 'replaces'];

/**
 * Runs an interaction that has ended once more, with the model turns, the tool results and the
 * answers of its log. No model is asked and no tool runs; only functions of `ctx.step` that the log
 * does not have are executed. Nothing is saved.
 * @returns the first difference; a cancel, which came from outside, is none
 */
export async function replay(
  services: RunServices,
  { records, ...rest }: RecordedInteraction,
): Promise<Difference | undefined> {
  const last = records.findLastIndex(({ key }) => key !== null);
  const given = records.slice(0, Math.max(last + 1, 1));
  const ending = records.slice(given.length).map(({ body }) => body);
  const isCancelled = ending.some(({ type }) => type === 'CANCELLED');
  const seq = given.length + 1;
  let difference: Difference | undefined;
  let matched = 0;
  const differ = (replayed: Difference['replayed']): void => {
    if (!isCancelled) difference ??= { seq: seq + matched, recorded: ending[matched], replayed };
  };
  const stop = new AbortController();
  const models = unanswered(services.models, (asks_model) => {
    differ({ asks_model });
    stop.abort();
  });
  const recorded = { ...rest, records: given };
  await observeRun(services, recorded, {
    models,
    signal: stop.signal,
    write: (appended) => {
      for (const { body } of appended) {
        if (!isSame(body, ending[matched])) {
          differ(body);
          return false;
        }
        matched++;
      }
      return matched < ending.length;
    },
  });
  return difference;
}

function isSame(replayed: RecordBody, recorded: RecordBody | undefined): boolean {
  return recorded !== undefined && essence(replayed) === essence(recorded);
}

function essence(body: RecordBody): string {
  const fields = Object.entries(body).filter(([name]) => !INCIDENTAL.includes(name));
  return canonicalJson(Object.fromEntries(fields));
}
