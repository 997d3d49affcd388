import type { ParleyServer } from '../app/parley-server.js';
import type { StreamEvent } from '../event-log/follow/stream-event.js';
import type { Usage } from '../protocol/interaction.js';
import { PROBE_AGENT } from './model-check.module.js';
import { PROBES } from './probes.js';
import type { Finding, ProbeName } from './probes.js';
import type { Interaction } from '../protocol/wire/interaction.js';

/** `failed`: the request was refused, or its answer was lost or not understood. */
export interface CheckResult {
  readonly check: ProbeName | 'usage';
  readonly state: Finding['state'] | 'failed';
  readonly detail: string;
  readonly duration_ms: number;
  /** Null: there was no output. */
  readonly first_output_ms: number | null;
  readonly usage: Usage;
  /** Notices that readers of the stream get: retries, and what was adapted to the endpoint. */
  readonly notices: readonly string[];
}

interface Observation {
  readonly interaction: Interaction;
  readonly duration_ms: number;
  readonly first_output_ms: number | null;
  readonly thinking: string;
  /** True: the endpoint did not report the whole usage. */
  readonly is_estimated: boolean;
  readonly notices: readonly string[];
}

type Judged = Pick<CheckResult, 'state' | 'detail'>;

const CHAT = 'model-check';
/** Agents don't work without these. */
const NEEDED: readonly CheckResult['check'][] = ['text', 'tool_call', 'tool_results', 'cancel'];

/** True if agents can rely on a model: nothing failed, and what they need was not missing. */
export function isFit(results: readonly CheckResult[]): boolean {
  return results.every(
    ({ check, state }) => state === 'ok' || (state === 'no' && !NEEDED.includes(check)),
  );
}

/** Runs these probes of a model, each as an interaction of its own, and finds if usage is told. */
export async function* checkModel(
  server: ParleyServer,
  model: string,
  probes: readonly ProbeName[],
): AsyncGenerator<CheckResult> {
  for (const probe of probes) {
    const seen = await observe(server, { model, probe });
    const { interaction, thinking: _, is_estimated: __, ...times } = seen;
    yield { check: probe, ...judge(probe, seen), ...times, usage: interaction.usage };
    if (probe === 'text')
      yield { check: 'usage', ...judgeUsage(seen), ...times, usage: interaction.usage };
  }
}

async function observe(
  server: ParleyServer,
  { model, probe }: { readonly model: string; readonly probe: ProbeName },
): Promise<Observation> {
  const started = performance.now();
  const chat_id = `${CHAT}-${probe}`;
  const { id } = await server.start(chat_id, {
    user_message: PROBES[probe].prompt,
    agent: PROBE_AGENT,
    model,
    metadata: { probe },
  });
  let first_output_ms: number | null = null;
  let thinking = '';
  let is_estimated = false;
  const notices: string[] = [];
  for await (const { event } of server.follow(chat_id, id)) {
    if (isOutput(event) && first_output_ms === null) {
      first_output_ms = Math.round(performance.now() - started);
      if (probe === 'cancel') await server.cancel(chat_id, id);
    }
    if (event.type === 'THINKING') thinking += event.content;
    if (event.type === 'TURN_COMPLETED') is_estimated ||= event.usage_estimated === true;
    if (event.type === 'NOTICE') notices.push(`${event.code}: ${event.message}`);
  }
  const duration_ms = Math.round(performance.now() - started);
  const interaction = await server.get(chat_id, id);
  return { interaction, duration_ms, first_output_ms, thinking, is_estimated, notices };
}

function isOutput({ type }: StreamEvent): boolean {
  return type === 'TEXT_DELTA' || type === 'THINKING_DELTA' || type === 'TOOL_INPUT_DELTA';
}

function judge(probe: ProbeName, { interaction, thinking, duration_ms }: Observation): Judged {
  const { status, error, answer } = interaction;
  if (probe === 'cancel' && status === 'CANCELLED')
    return { state: 'ok', detail: `Ended ${duration_ms} ms after the start, at its first output.` };
  if (probe === 'too_long' && error?.code === 'context_overflow')
    return { state: 'ok', detail: 'The refusal is understood: a long chat would be shortened.' };
  if (error || status !== 'COMPLETED')
    return { state: 'failed', detail: error ? `${error.code}: ${error.message}` : status };
  const finding = JSON.parse(answer ?? '') as Finding;
  if (probe !== 'reasoning' || finding.state === 'no') return finding;
  return thinking === ''
    ? { state: 'no', detail: `Shows no thinking. ${finding.detail}` }
    : { state: 'ok', detail: `${thinking.length} characters of thinking. ${finding.detail}` };
}

function judgeUsage({ interaction: { usage, error }, is_estimated }: Observation): Judged {
  const { input_tokens, output_tokens } = usage;
  const detail = `${input_tokens} tokens in, ${output_tokens} out.`;
  if (error) return { state: 'failed', detail: `There is no usage of an answer: ${detail}` };
  return is_estimated
    ? { state: 'no', detail: `The endpoint reports no usage; estimated: ${detail}` }
    : { state: 'ok', detail };
}
