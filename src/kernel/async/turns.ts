import { withValuesOfCaller } from './async-value.js';

/** Maximum time for which work that arrives at once may hold the event loop, in milliseconds. */
const MAX_MS = 10;

const waiting: (() => void)[] = [];
/** The time at which this turn of the event loop first had work. */
let began: number | undefined;

/**
 * Begins a piece of work now, or in a later turn of the event loop if others have used this one up.
 * The input of many connections can be read in one turn, and nothing else is served until its end.
 */
export function inTurn(work: () => void): void {
  const now = performance.now();
  if (began === undefined) beginTurns(now);
  else if (waiting.length > 0 || now - began >= MAX_MS)
    return void waiting.push(withValuesOfCaller(work));
  work();
}

/**
 * Resolves in a turn of the event loop of its own: for long work that may wait for the same promise
 * as that of others.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (began === undefined) beginTurns(performance.now());
  });
}

function beginTurns(now: number): void {
  began = now;
  setImmediate(nextTurn);
}

/** One piece a turn: its promises are part of it, and go on after this function. */
function nextTurn(): void {
  const work = waiting.shift();
  began = work && performance.now();
  if (!work) return;
  setImmediate(nextTurn);
  work();
}
