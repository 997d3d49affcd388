import { AppError } from '../kernel/app-error.js';
import type { FileStore } from './file-store.js';

/** Counts what happens to files; metrics implement it, which are above. */
export abstract class FileMeter {
  /** A file of this size was added, by a person or an agent. */
  abstract added(size_bytes: number): void;
  /** The store of the bytes could not be reached, read or written. */
  abstract storeFailed(): void;
  /** Bytes without a row were removed. */
  abstract swept(): void;
  /** Deleted files whose bytes are still to be removed, as far as the last look goes. */
  abstract pending(count: number): void;
}

/** The same store, whose failures are counted. */
export function metered(store: FileStore, meter: FileMeter): FileStore {
  const count = (error: unknown): never => {
    if (error instanceof AppError && error.code === 'files_unavailable') meter.storeFailed();
    throw error;
  };
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(member, target, args);
        return result instanceof Promise ? result.catch(count) : result;
      };
    },
  });
}
