import { ModelError } from '../model-error.js';

/** The error for a turn that exceeds a size limit; `what` names the part that is too large. */
export function tooLarge(what: string): ModelError {
  const message = `The model's turn was stopped: it has ${what}. Ask for less at once.`;
  return new ModelError('model_bad_response', message, { retryable: false });
}
