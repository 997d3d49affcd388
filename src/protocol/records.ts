import { agentRecords } from './records/agent-records.js';
import { modelRecords } from './records/model-records.js';
import { requestRecords } from './records/request-records.js';
import { runRecords } from './records/run-records.js';
import { toolRecords } from './records/tool-records.js';

let built: ReturnType<typeof build> | undefined;

/**
 * The schema of every durable record, by type: `body` is the event that clients get, `hidden` is
 * for the journal only. Types, import, OpenAPI and docs/events.md are derived from it. Built on
 * first use: a start of the server needs none of it.
 */
export function records(): ReturnType<typeof build> {
  built ??= build();
  return built;
}

function build() {
  const { INTERACTION_STARTED, ...others } = runRecords();
  return {
    INTERACTION_STARTED,
    ...modelRecords(),
    ...toolRecords(),
    ...requestRecords(),
    ...agentRecords(),
    ...others,
  };
}
