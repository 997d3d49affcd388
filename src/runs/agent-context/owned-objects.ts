import { doneWithin } from '../../kernel/done-within.js';

/** How long the disposal of one object is waited for, in milliseconds. */
export const DISPOSE_MS = 5_000;

type Dispose = () => unknown;

/** Objects that have to be disposed of, each once. */
export class OwnedObjects {
  private readonly owned = new Map<unknown, Dispose>();
  private isOver = false;

  /** @param onFault told what went wrong when objects were disposed of */
  constructor(private readonly onFault: (error: unknown) => void) {}

  /** `dispose`: how, unless the object says so itself. What comes too late is disposed of at once. */
  add<T>(object: T, dispose?: (object: T) => unknown): T {
    const how = dispose ? () => dispose(object) : findDispose(object);
    if (!how || (this.owned.has(object) && !dispose)) return object;
    this.owned.set(object, how);
    if (this.isOver) void this.dispose();
    return object;
  }

  /** What can be disposed of: the value itself, or else members of it. */
  addAll(value: unknown): void {
    if (findDispose(value)) this.add(value);
    else for (const member of Object.values(Object(value) as object)) this.add(member);
  }

  /** The latest first, as each may use those before it. Never rejects. */
  async dispose(): Promise<void> {
    this.isOver = true;
    const latestFirst = [...this.owned.values()].reverse();
    this.owned.clear();
    for (const dispose of latestFirst) await this.disposeOne(dispose);
  }

  private async disposeOne(dispose: Dispose): Promise<void> {
    try {
      const done = (async () => dispose())();
      if (!(await doneWithin(done, DISPOSE_MS)))
        throw new Error(`An object was not disposed of within ${DISPOSE_MS / 1000} s.`);
    } catch (error) {
      this.onFault(error);
    }
  }
}

function findDispose(object: unknown): Dispose | undefined {
  if (typeof object !== 'object' || object === null) return undefined;
  const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = object as Partial<
    AsyncDisposable & Disposable
  >;
  const dispose = later ?? now;
  return dispose && (() => dispose.call(object));
}
