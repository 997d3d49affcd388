import { cpuMs } from '../machine.mjs';

const STREAMS = 500;
const INTERVAL_MS = 20;
const RAMP_MS = 4_000;
const WINDOW_MS = 10_000;
/** Streams outlast the window, whenever in the ramp they began. */
const STREAM_MS = RAMP_MS + WINDOW_MS + 1_500;

/**
 * 500 streams of 50 deltas a second, each delta in a packet of its own. Lateness: from the model's
 * write to the client's read.
 */
export async function paced({ client }, { target }) {
  const model = `paced-${INTERVAL_MS}-${STREAM_MS}`;
  client.send({
    kind: 'paced',
    streams: STREAMS,
    ramp_ms: RAMP_MS,
    window_ms: WINDOW_MS,
    model,
    ...target,
  });
  await client.message();
  const before = cpuMs(target.pid);
  await client.message();
  const cpu_ms = cpuMs(target.pid) - before;
  const { carried, lateness_ms, seconds, failed } = await client.message();
  const due = (STREAMS * seconds * 1000) / INTERVAL_MS;
  return {
    carried_percent: (carried / due) * 100,
    lateness_p50_ms: lateness_ms.p50,
    lateness_p99_ms: lateness_ms.p99,
    lateness_max_ms: lateness_ms.max,
    cpu_percent: cpu_ms / seconds / 10,
    cpu_ms_per_1000_deltas: (cpu_ms * 1000) / carried,
    failed,
  };
}
