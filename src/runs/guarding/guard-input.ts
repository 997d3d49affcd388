import type { InputKind } from '../../guardrails/guardrail.js';
import type { InputJudgement } from '../../guardrails/input-judgement.js';
import type { HiddenOf } from '../../protocol/events.js';
import type { AgentIdentity } from '../../agents/agent-context.js';
import { guardedAgent } from './guard-output.js';
import type { GuardedRun } from './guard-output.js';

interface Scope {
  readonly run: GuardedRun;
  readonly signal: AbortSignal;
}

/**
 * Lets guardrails judge a person's input. The judgement is logged with the input; undefined if no
 * guardrail objects.
 */
export async function judgeInput(
  { run, signal }: Scope,
  agent: AgentIdentity,
  { kind, text }: { readonly kind: InputKind; readonly text: string },
): Promise<{ hidden?: HiddenOf<'INPUT_RECEIVED'>; judgement?: InputJudgement }> {
  const { guardrails } = run.services;
  if (!guardrails.checksInput) return {};
  const about = { ...guardedAgent(agent), kind, signal };
  const judgement = await guardrails.judge(text, about);
  const { remarks, tripwire, text: replaced } = judgement;
  const isQuiet = remarks.length === 0 && tripwire === undefined && replaced === undefined;
  return isQuiet ? {} : { judgement, hidden: { guarded: judgement } };
}
