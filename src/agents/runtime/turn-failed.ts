import type { EventError } from '../../protocol/events.js';
import { AppError } from '../../kernel/app-error.js';

/** A model turn that failed for good; `code` and `message` are those of its `turn_completed`. */
export class TurnFailed extends AppError {
  constructor({ code, message }: EventError) {
    super('unavailable', code, message);
  }
}
