import type { LiveBus } from '../event-log/live/live-bus.js';
import type { RecordOf } from '../protocol/events.js';
import type { ToolServer } from '../tools/tool-source.js';

/** A notice for each server whose tools are not there, and one if other processes hear nothing of the run. */
export function describeOutages(
  servers: readonly ToolServer[],
  bus: Pick<LiveBus, 'awaySince'>,
): RecordOf<'NOTICE'>[] {
  return [...(bus.awaySince ? [BUS_AWAY] : []), ...describeServers(servers)];
}

const BUS_AWAY: RecordOf<'NOTICE'> = {
  type: 'NOTICE',
  code: 'live_bus_unavailable',
  message:
    'Redis is away: readers on other processes than the one that works on this see it with a delay.',
};

function describeServers(servers: readonly ToolServer[]): RecordOf<'NOTICE'>[] {
  return servers
    .filter(({ state }) => state !== 'ready')
    .map(({ name, problem }) => ({
      type: 'NOTICE',
      code: 'tool_server_unavailable',
      message: `The tools of ${name} are not available: ${problem ?? 'it is still being connected'}.`,
    }));
}
