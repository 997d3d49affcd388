import { AppError } from '../../kernel/app-error.js';

/** The error, if it is a lasting one of saved data; throws the others, such as an outage. */
export function lasting(error: unknown): AppError {
  if (error instanceof AppError && error.kind !== 'unavailable') return error;
  throw error;
}
