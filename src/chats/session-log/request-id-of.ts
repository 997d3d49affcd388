import type { RecordBody } from '../../protocol/events.js';

/** Of a record that asks a person or a client for something. */
export function requestIdOf(body: RecordBody): string | undefined {
  if (body.type === 'APPROVAL_REQUIRED') return body.approval_id;
  if (body.type === 'INPUT_REQUIRED' || body.type === 'TOOL_RESULT_REQUIRED')
    return body.request_id;
  return undefined;
}
