import type { RecordEvent } from 'parley/client';
import { useEffect, useReducer } from 'react';
import type { OpenChat } from '../chat/open-chat';
import type { Turn } from '../chat/turns';
import { useShownChat } from '../chat/use-chat';
import { client } from '../session/client';
import { Store, useStore } from '../ui/store';

/** The records of one interaction, from the first on. */
export interface Log {
  readonly records: readonly RecordEvent[];
  /** All up to now are here. */
  readonly isWhole: boolean;
  readonly error: unknown;
}

/** Maximum number of logs read at once: two of a browser's few connections are streams already. */
const MOST_STREAMS = 2;
const FLUSH_MS = 200;
/** Without any connection for so long, a reader is told, who can have it tried again. */
const GIVE_UP_MS = 5000;
const NO_LOG: Log = { records: [], isWhole: false, error: undefined };
const NOTHING = new Store<Log>(NO_LOG);

/** Reads logs of interactions that had ended before the page was opened, each once. */
class Logs {
  private readonly logs = new Map<string, Store<Log>>();
  private waiting: string[] = [];
  private reading = 0;

  constructor(private readonly chatId: string) {}

  of(id: string): Store<Log> {
    let log = this.logs.get(id);
    if (!log) this.logs.set(id, (log = new Store(NO_LOG)));
    return log;
  }

  /** Reads it, after those that were asked for before. */
  load(id: string): void {
    const { isWhole, records, error } = this.of(id).get();
    const isKnown = isWhole || records.length > 0 || this.waiting.includes(id);
    if (isKnown && error === undefined) return;
    this.of(id).set(NO_LOG);
    this.waiting.push(id);
    this.next();
  }

  /** Forgets the logs whose reading has not begun. */
  forgetWaiting(): void {
    this.waiting = [];
  }

  private next(): void {
    while (this.reading < MOST_STREAMS && this.waiting.length > 0) {
      this.reading++;
      void this.read(this.waiting.shift()!).finally(() => {
        this.reading--;
        this.next();
      });
    }
  }

  private async read(id: string): Promise<void> {
    const log = this.of(id);
    const records: RecordEvent[] = [];
    let told = Date.now();
    try {
      for await (const event of client.follow(this.chatId, id, { give_up_ms: GIVE_UP_MS })) {
        if ('seq' in event) records.push(event);
        if (Date.now() - told < FLUSH_MS) continue;
        told = Date.now();
        log.set({ records: [...records], isWhole: false, error: undefined });
      }
      log.set({ records, isWhole: true, error: undefined });
    } catch (error) {
      log.set({ records, isWhole: false, error });
    }
  }
}

const known = new WeakMap<OpenChat, Logs>();

function logsOf(chat: OpenChat): Logs {
  let logs = known.get(chat);
  if (!logs) known.set(chat, (logs = new Logs(chat.id)));
  return logs;
}

/** True if the stream of the chat has told all records of the turn. */
function isLive(turn: Turn): boolean {
  return turn.live !== null && turn.records[0]?.seq === 1;
}

/** A log, and what reads it again after an error. */
export interface ReadLog extends Log {
  readonly retry: () => void;
}

/** All records of an interaction: of the stream, or read for this. */
export function useLog(id: string | undefined, turn: Turn | undefined): ReadLog {
  const logs = logsOf(useShownChat());
  const live = turn && isLive(turn) ? turn : undefined;
  const wanted = live ? undefined : id;
  const read = useStore(wanted === undefined ? NOTHING : logs.of(wanted));
  useEffect(() => {
    if (wanted !== undefined) logs.load(wanted);
  }, [logs, wanted]);
  const retry = (): void => void (wanted !== undefined && logs.load(wanted));
  return { ...(live ? { records: live.records, isWhole: true, error: undefined } : read), retry };
}

export interface TurnLog {
  readonly turn: Turn;
  readonly log: ReadLog;
}

/** The logs of several turns, the newest read first. */
export function useLogs(turns: readonly Turn[]): readonly TurnLog[] {
  const logs = logsOf(useShownChat());
  const [, update] = useReducer((count: number) => count + 1, 0);
  const wanted = turns
    .filter((turn) => !isLive(turn))
    .map(({ id }) => id)
    .join(' ');
  useEffect(() => {
    const ids = wanted.split(' ').filter(Boolean);
    const leave = ids.map((id) => logs.of(id).subscribe(update));
    for (const id of ids.reverse()) logs.load(id);
    return () => {
      for (const each of leave) each();
      logs.forgetWaiting();
    };
  }, [logs, wanted]);
  return turns.map((turn) => ({
    turn,
    log: {
      ...(isLive(turn)
        ? { records: turn.records, isWhole: true, error: undefined }
        : logs.of(turn.id).get()),
      retry: () => logs.load(turn.id),
    },
  }));
}
