import { AppError } from '../../kernel/app-error.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordBody } from '../../protocol/events.js';
import { isProgress } from '../../protocol/events.js';
import { RESUME_REASONS } from '../scope/run-input.js';

/**
 * Maximum number of consecutive runs whose records could not be saved. Each of them may have asked
 * a model.
 */
const MAX_STOPS = 20;

/**
 * @throws AppError `save_loop` if what the interaction does could not be saved over and over again.
 * Lost runs and orderly stops of the server are not counted.
 */
export function requireProgress(records: readonly LogRecord[]): void {
  const bodies = records.map(({ body }) => body);
  const progress = bodies.findLastIndex(isProgress);
  const stops = 1 + bodies.slice(progress + 1).filter(isUnsaved).length;
  if (stops < MAX_STOPS) return;
  throw new AppError(
    'internal',
    'save_loop',
    `This interaction was stopped ${stops} times in a row before anything that it did was saved, and was given up. The log of the server says why. Edit the message to try again.`,
  );
}

function isUnsaved(body: RecordBody): boolean {
  const { unsaved, unrenewed } = RESUME_REASONS;
  return body.type === 'RESUMED' && [unsaved, unrenewed].some((reason) => reason === body.reason);
}
