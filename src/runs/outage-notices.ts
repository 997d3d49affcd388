import type { LiveBus } from '../event-log/live/live-bus.js';
import type { RecordOf } from '../protocol/events.js';
import type { ToolServer } from '../tools/core/tool-source.js';

/** Notices at the start of a run: tool servers or a live bus that are unavailable. */
export function outageNotices(
  servers: readonly ToolServer[],
  bus: Pick<LiveBus, 'awaySince'>,
): RecordOf<'NOTICE'>[] {
  return [...(bus.awaySince ? [BUS_AWAY] : []), ...servers.flatMap(serverNotice)];
}

const BUS_AWAY: RecordOf<'NOTICE'> = {
  type: 'NOTICE',
  code: 'live_bus_unavailable',
  message:
    'The Redis connection is lost: readers on processes other than the one that runs this see its events with a delay.',
};

function serverNotice({ name, state, problem }: ToolServer): RecordOf<'NOTICE'>[] {
  if (state === 'ready') return [];
  const message = `The tools of ${name} are not available: ${problem ?? 'it is still being connected'}.`;
  return [{ type: 'NOTICE', code: 'tool_server_unavailable', message }];
}
