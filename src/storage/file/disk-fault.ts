import { AppError } from '../../kernel/app-error.js';

/** What a disk answers that takes nothing at the moment: full, over quota, broken, read-only, or the process has too many files open. */
const PASSING = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);

/** Waits for work on the disk. @throws AppError `store_unavailable` where trying again later may help */
export async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toDiskFault(error);
  }
}

function toDiskFault(cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === undefined || !PASSING.has(code)) return cause;
  return new AppError(
    'unavailable',
    'store_unavailable',
    `The data directory takes nothing at the moment (${code}). Try again; if it lasts, check that its disk has room and is writable.`,
    { cause },
  );
}
