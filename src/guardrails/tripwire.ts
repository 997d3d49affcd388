import { AppError, messageOf } from '../kernel/app-error.js';
import { cutText } from '../kernel/text/cut-text.js';

/** Maximum length of the reason that a guardrail writes to the log, in characters. */
const MAX_REASON = 2_000;

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

/** The Tripwire of a guardrail. Any failure to return a valid verdict ends the run, too. */
export function tripped(name: string, why: unknown): Tripwire {
  const reason = cutText(messageOf(why), MAX_REASON);
  return new Tripwire(`The guardrail ${name} stopped this run: ${reason || 'it gave no reason'}`);
}
