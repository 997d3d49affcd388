/**
 * Browsers open six connections to a server without HTTP/2. One has the feed, so many have streams
 * of chats, and the others are for requests.
 */
const NAMES = ['parley.stream.1', 'parley.stream.2', 'parley.stream.3'];
/** A page hands its stream on after this long if others wait, in milliseconds. */
const TURN_MS = 2000;

/**
 * Does work that needs a stream, in turns with other pages of the browser where there are more of
 * them than streams. Each page comes back with its cursor, so that it only lags behind.
 * @param work rejects when its signal is aborted; it is done again at the next turn
 */
export async function inTurns(
  signal: AbortSignal,
  work: (turn: AbortSignal) => Promise<void>,
): Promise<void> {
  const { locks } = navigator as { readonly locks?: LockManager };
  if (!locks || hasManyStreams()) return work(signal);
  while (!signal.aborted) {
    const name = await quietest(locks);
    await locks.request(name, { signal }, () =>
      takeTurn(signal, work, () => isWanted(locks, name)),
    );
  }
}

async function takeTurn(
  signal: AbortSignal,
  work: (turn: AbortSignal) => Promise<void>,
  isOver: () => Promise<boolean>,
): Promise<void> {
  const turn = new AbortController();
  const end = (): void => turn.abort();
  signal.addEventListener('abort', end);
  const timer = setInterval(() => void isOver().then((it) => it && end()), TURN_MS);
  try {
    await work(turn.signal);
  } catch (error) {
    if (!turn.signal.aborted) throw error;
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', end);
  }
}

/** The one that the fewest pages have or wait for. */
async function quietest(locks: LockManager): Promise<string> {
  const { held = [], pending = [] } = await locks.query();
  const busy = (name: string): number =>
    [...held, ...pending].filter((lock) => lock.name === name).length;
  return NAMES.reduce((best, name) => (busy(name) < busy(best) ? name : best));
}

async function isWanted(locks: LockManager, name: string): Promise<boolean> {
  const { pending = [] } = await locks.query();
  return pending.some((lock) => lock.name === name);
}

function hasManyStreams(): boolean {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return /^h[23]/.test(page?.nextHopProtocol ?? '');
}
