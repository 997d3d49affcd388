import type { RecordBody } from './events.js';

/** Result, for the model, of a call that a crash interrupted and that must not be repeated (I4). */
export const OUTCOME_UNKNOWN =
  'The server stopped while this tool was running. It is unknown whether its effect took place: check before you call it again.';

/**
 * True if a run that writes this record has got further than the run before it. A run that crashes
 * the process may write the other records each time.
 */
export function isProgress(body: RecordBody): boolean {
  if (body.type === 'TOOL_RESULT') return body.tool_output !== OUTCOME_UNKNOWN;
  return body.type !== 'RESUMED' && body.type !== 'NOTICE' && body.type !== 'TOOL_STARTED';
}
