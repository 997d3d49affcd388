import { cpuMs } from './machine.mjs';

/** Before that, the engine's compiler takes a third of the time. */
const WARM_UP_SECONDS = 20;

export function warmUp({ client }, job) {
  return client.run({ ...job, seconds: WARM_UP_SECONDS });
}

/** Loads the server for a while: what the clients counted, and the CPU that it took the server. */
export async function load({ client }, job) {
  const before = cpuMs(job.pid);
  const result = await client.run(job);
  return { ...result, cpu_ms: cpuMs(job.pid) - before };
}
