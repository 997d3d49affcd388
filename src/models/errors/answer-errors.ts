import { ModelError } from '../model-error.js';

/** A 2xx response whose body is not an answer of a model. */
export class BadResponse extends Error {
  constructor(
    /** The kind of body, such as `HTML`. */
    readonly what: string,
    /** The beginning of the body. */
    readonly sample: string,
  ) {
    super(`The answer is ${what}`);
  }
}

/** A line of a stream, or the data of one event, exceeds the size limit. */
export class LineTooLong extends Error {
  constructor(readonly maxChars: number) {
    super(`A line of the stream is longer than ${maxChars} characters`);
  }
}

/** The server sent an error in place of a chunk. `detail` is its content. */
export class StreamedError extends Error {
  constructor(readonly detail: unknown) {
    super('The server reported an error in its stream');
  }
}

/** The error for a turn that exceeds a size limit; `what` names the part that is too large. */
export function tooLarge(what: string): ModelError {
  const message = `The model's turn was stopped: it has ${what}. Ask for less at once.`;
  return new ModelError('model_bad_response', message, { retryable: false });
}

/** The error for a turn without an answer; it is asked for once more. */
export function emptyAnswer(): ModelError {
  const message = 'The model ended its turn without an answer and without a tool call.';
  return new ModelError('model_empty_answer', message, { retryable: true, max_attempts: 2 });
}
