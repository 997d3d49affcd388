import { AppError } from '../kernel/app-error.js';

const CODE = 'guardrail';

/** A guardrail ends the run: the interaction fails with this code and message. */
export class Tripwire extends AppError {
  constructor(message: string) {
    super('unprocessable', CODE, message);
  }

  /** Restores a Tripwire from a logged error; undefined if the error was none. */
  static from({
    code,
    message,
  }: {
    code?: string | undefined;
    message: string;
  }): Tripwire | undefined {
    return code === CODE ? new Tripwire(message) : undefined;
  }
}
