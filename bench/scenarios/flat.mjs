import { load, warmUp } from '../closed-load.mjs';
import { summarise } from '../percentiles.mjs';

const LOAD = { kind: 'closed', model: 'flat-200', at_once: 64, seconds: 1.2 };
const ROUNDS = 6;

/**
 * Answers of 200 tokens flat out, 64 at once. Server and proxy take turns, so that both meet the
 * same noise on the machine; figures are medians over the rounds.
 */
export async function flat(bench, { target }) {
  const job = { ...LOAD, ...target };
  await warmUp(bench, job);
  const rounds = [];
  const proxyRounds = [];
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push(toFigures(await load(bench, job)));
    proxyRounds.push(toFigures(await load(bench, { ...LOAD, ...bench.proxy })));
  }
  const figures = medians(rounds);
  const limit = medians(proxyRounds).cpu_ms_per_1000_deltas;
  return { ...figures, to_proxy: figures.cpu_ms_per_1000_deltas / limit };
}

function toFigures({ answers, deltas, frames, failed, seconds, first_delta_ms, cpu_ms }) {
  return {
    deltas_per_s: deltas / seconds,
    cpu_ms_per_1000_deltas: (cpu_ms * 1000) / deltas,
    cpu_percent: cpu_ms / seconds / 10,
    first_delta_p50_ms: first_delta_ms.p50,
    first_delta_p99_ms: first_delta_ms.p99,
    frames_per_answer: frames / answers,
    failed,
  };
}

function medians(rounds) {
  const fields = Object.keys(rounds[0]);
  return Object.fromEntries(
    fields.map((field) => [field, summarise(rounds.map((round) => round[field])).p50]),
  );
}
