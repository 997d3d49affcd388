import { AGENT_RECORDS } from './records/agent-records.js';
import { MODEL_RECORDS } from './records/model-records.js';
import { REQUEST_RECORDS } from './records/request-records.js';
import { RUN_RECORDS } from './records/run-records.js';
import { TOOL_RECORDS } from './records/tool-records.js';

const { INTERACTION_STARTED, ...RUN } = RUN_RECORDS;

/**
 * The schema of every durable record, by type: `body` is the event that clients get, `hidden` is
 * for the journal only. Types, import, OpenAPI and docs/events.md are derived from it.
 */
export const RECORDS = {
  INTERACTION_STARTED,
  ...MODEL_RECORDS,
  ...TOOL_RECORDS,
  ...REQUEST_RECORDS,
  ...AGENT_RECORDS,
  ...RUN,
};
