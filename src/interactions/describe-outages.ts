import type { RecordOf } from '../protocol/events.js';
import type { ToolServer } from '../tools/tool-source.js';

/** A notice for each server whose tools are not there. */
export function describeOutages(servers: readonly ToolServer[]): RecordOf<'NOTICE'>[] {
  return servers
    .filter(({ state }) => state !== 'ready')
    .map(({ name, problem }) => ({
      type: 'NOTICE',
      code: 'tool_server_unavailable',
      message: `The tools of ${name} are not available: ${problem ?? 'it is still being connected'}.`,
    }));
}
