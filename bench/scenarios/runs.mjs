import { load, warmUp } from '../closed-load.mjs';

const LOAD = { kind: 'closed', model: 'agent-20', at_once: 16, seconds: 5 };

/** Whole agent runs (model, tool, model, 20 deltas), 16 at once. */
export async function runs(bench, { target }) {
  const job = { ...LOAD, ...target };
  await warmUp(bench, job);
  const { answers, failed, seconds, whole_ms, cpu_ms } = await load(bench, job);
  return {
    runs_per_s: answers / seconds,
    cpu_ms_per_run: cpu_ms / answers,
    cpu_percent: cpu_ms / seconds / 10,
    whole_p50_ms: whole_ms.p50,
    whole_p99_ms: whole_ms.p99,
    failed,
  };
}
