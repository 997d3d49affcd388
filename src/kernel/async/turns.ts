import { withValuesOfCaller } from './async-value.js';

/** Maximum time for which work that arrives at once may hold the event loop, in milliseconds. */
const MAX_MS = 10;

/** Work in turn: a piece of each owner, and so on. */
class FairQueue {
  private readonly waiting = new Map<string, (() => void)[]>();

  get isEmpty(): boolean {
    return this.waiting.size === 0;
  }

  add(owner: string, work: () => void): void {
    const own = this.waiting.get(owner);
    if (own) own.push(work);
    else this.waiting.set(owner, [work]);
  }

  take(): (() => void) | undefined {
    const [next] = this.waiting;
    if (!next) return undefined;
    const [owner, own] = next;
    const work = own.shift();
    this.waiting.delete(owner);
    if (own.length > 0) this.waiting.set(owner, own); // behind the others
    return work;
  }
}

/** Requests that have arrived, which others do not wait behind long work. */
const arrived = new FairQueue();
const long = new FairQueue();
/** The time at which this turn of the event loop first had work. */
let began: number | undefined;

/**
 * Begins a request now, or in a later turn of the event loop if others have used this one up. The
 * input of many connections can be read in one turn, and nothing else is served until its end.
 * @param owner a user, who makes others wait for one piece of work at most
 */
export function inTurn(owner: string, work: () => void): void {
  const now = performance.now();
  if (began === undefined) beginTurns(now);
  else if (!arrived.isEmpty || now - began >= MAX_MS)
    return arrived.add(owner, withValuesOfCaller(work));
  work();
}

/**
 * Resolves in a turn of the event loop of its own: for long work that may wait for the same promise
 * as that of others.
 */
export function ownTurn(owner: string): Promise<void> {
  return new Promise((resolve) => {
    long.add(owner, resolve);
    if (began === undefined) beginTurns(performance.now());
  });
}

function beginTurns(now: number): void {
  began = now;
  setImmediate(nextTurn);
}

/** Promises of the work go on after this function, and are part of the turn. */
function nextTurn(): void {
  const work = [arrived.take(), long.take()].filter((each) => each !== undefined);
  if (work.length === 0) {
    began = undefined;
    return;
  }
  beginTurns(performance.now());
  for (const begin of work) begin();
}
