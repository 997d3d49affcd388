import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../auth/principal.js';
import { isWaiting } from '../../../protocol/interaction.js';
import { checkpointNotFound } from '../errors.js';
import { viewInterrupt } from '../interrupts/interrupt.js';
import type { Interrupt } from '../interrupts/interrupt.js';
import { Interrupts } from '../interrupts/interrupts.js';
import { parseCheckpoint } from './checkpoint-ids.js';
import { States } from './states.js';
import type { ThreadState } from './states.js';
import type { Thread } from './thread.js';
import { Threads } from './threads.js';

/** Characters of a history: one state at least. */
const MAX_HISTORY = 2 * 1024 * 1024;
/** Interactions that are read to find one. */
const SEARCH_DEPTH = 1_000;

interface HistoryQuery {
  readonly limit: number;
  readonly before: string | undefined;
}

/** A thread, what it waits for, and its states. */
export interface OpenThread {
  readonly thread: Thread;
  readonly interrupts: readonly Interrupt[];
  readonly states: States;
}

/** Reads states of threads. */
@Injectable()
export class ThreadStates {
  constructor(
    private readonly threads: Threads,
    private readonly interrupts: Interrupts,
  ) {}

  /** @throws AppError `chat_not_found` (404) */
  async open(caller: Principal, chat_id: string, atLeast = 0): Promise<OpenThread> {
    const thread = await this.threads.read(caller, chat_id, { atLeast });
    const { head } = thread;
    const owner = head && isWaiting(head.status) && { chat_id, interaction_id: head.id };
    const waiting = owner ? await this.interrupts.of(caller, owner) : { interrupts: [] };
    const interrupts = waiting.interrupts.map(viewInterrupt);
    return { thread, interrupts, states: new States(thread, interrupts) };
  }

  /** @throws AppError `chat_not_found`, `interaction_not_found` (404) */
  async at(caller: Principal, chat_id: string, checkpoint: string | null): Promise<ThreadState> {
    const { states } = await this.open(caller, chat_id, checkpoint === null ? 0 : SEARCH_DEPTH);
    const state = checkpoint === null ? states.head() : states.at(parseCheckpoint(checkpoint));
    if (!state) throw checkpointNotFound(checkpoint!);
    return state;
  }

  /** @throws AppError `chat_not_found` (404) */
  async history(
    caller: Principal,
    chat_id: string,
    { limit, before }: HistoryQuery,
  ): Promise<readonly ThreadState[]> {
    const { states } = await this.open(
      caller,
      chat_id,
      before === undefined ? limit : SEARCH_DEPTH,
    );
    const places = states.history();
    const named = places.findIndex((place) => states.idOf(place) === before);
    if (before !== undefined && named < 0) return [];
    const found: ThreadState[] = [];
    let length = 0;
    for (const place of places.slice(named + 1, named + 1 + limit)) {
      const state = states.at(place)!;
      length += JSON.stringify(state).length;
      if (found.length > 0 && length > MAX_HISTORY) break;
      found.push(state);
    }
    return found;
  }
}
