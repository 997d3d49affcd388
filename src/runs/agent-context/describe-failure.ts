import { AppError } from '../../kernel/app-error.js';
import type { EventError } from '../../protocol/events.js';
import { toErrorText } from '../../tools/to-text.js';

/** Bounds what an agent's error puts into the log, in characters. */
const MAX_MESSAGE = 10_000;

/** What the log is told of what an agent threw. */
export function describeFailure(cause: unknown): EventError {
  const message = toErrorText(cause).slice(0, MAX_MESSAGE);
  if (cause instanceof AppError) return { code: cause.code, message };
  return { code: 'agent_error', message: `The agent failed: ${message}` };
}
