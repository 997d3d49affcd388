import { AppError } from '../kernel/app-error.js';
import type { FileStoreReports } from './file-store-reports.js';
import type { FileStore } from './file-store.js';

/** The same store, whose failures are reported. */
export function reported(store: FileStore, reports: FileStoreReports): FileStore {
  const report = (error: unknown): never => {
    if (error instanceof AppError && error.code === 'files_unavailable')
      reports.failed('away', { message: error.message, err: error.cause });
    throw error;
  };
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(member, target, args);
        return result instanceof Promise ? result.catch(report) : result;
      };
    },
  });
}
