import { ModelError } from '../model-error.js';

/** A turn of more than we are willing to hold; `what` says of what it has too much. */
export function tooLarge(what: string): ModelError {
  const message = `The model's turn was stopped: it has ${what}. Ask for less at once.`;
  return new ModelError('model_bad_response', message, { retryable: false });
}
