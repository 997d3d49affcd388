import { AppError } from '../kernel/app-error.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { FileStore } from './file-store.js';

/** The same store, whose failures are emitted. */
export function metered(store: FileStore, telemetry: Telemetry): FileStore {
  const count = (error: unknown): never => {
    if (error instanceof AppError && error.code === 'files_unavailable')
      telemetry.emit('file_store_failed', undefined);
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
