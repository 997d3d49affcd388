import { Logger } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import { BoundedMap } from '../kernel/bounded-map.js';

/** Stands for a text that was changed in the store. */
export const UNREADABLE = '(This text can’t be read.)';

const CODES = ['decryption_failed', 'data_key_missing', 'encryption_key_wrong', 'record_damaged'];
/** Ids that were named in the log. */
const MAX_IDS = 1_000;

const logger = new Logger('Encryption');
const named = new BoundedMap<string, true>(MAX_IDS);

/** True if saved data was changed in the store: another attempt fails, too. */
export function isUnreadable(error: unknown): error is AppError {
  return error instanceof AppError && CODES.includes(error.code);
}

/**
 * Says in the log, once for each id, that an answer was given without what is unreadable.
 * @param error is thrown, if it is another one
 */
export function nameUnreadable(id: string, error: unknown): undefined {
  if (!isUnreadable(error)) throw error;
  if (named.get(id)) return undefined;
  named.set(id, true);
  logger.error(`${id} can't be read, and answers show nothing of such texts. ${error.message}`);
  return undefined;
}
