import { AppError } from '../../kernel/app-error.js';

/** The error, if it is one of saved data that stays; throws the others, such as that of an outage. */
export function lasting(error: unknown): AppError {
  if (error instanceof AppError && error.kind !== 'unavailable') return error;
  throw error;
}
