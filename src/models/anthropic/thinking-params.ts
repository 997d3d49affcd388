import type { OutputConfig, ThinkingConfigParam } from '@anthropic-ai/sdk/resources/messages';
import type { ModelRequest, Thinking } from '../model-provider.js';
import type { Turn } from './message-params.js';
import type { ModelTraits } from './model-traits.js';

/** Tokens for a model that is given a budget; the vendor's least is 1024. */
const BUDGETS: Readonly<Record<Thinking, number>> = { low: 2_048, medium: 8_192, high: 24_576 };
const LEAST_BUDGET = 1_024;
/** Tokens of a turn that are left for what follows the thoughts. */
const ANSWER_TOKENS = 1_024;

interface ThinkingParams {
  readonly thinking?: ThinkingConfigParam;
  readonly effort?: NonNullable<OutputConfig['effort']>;
}

/** How a request asks for thoughts, if it may: not where the model has to call a tool, nor in the middle of a turn that began without. */
export function thinkingParams(
  { thinking, tool_choice }: ModelRequest,
  asked: { traits: ModelTraits; max_tokens: number; turns: readonly Turn[] },
): ThinkingParams {
  const isForced = tool_choice === 'required' || typeof tool_choice === 'object';
  if (!thinking || isForced) return {};
  if (asked.traits.thinking === 'adaptive')
    return { thinking: { type: 'adaptive', display: 'summarized' }, effort: thinking };
  const budget_tokens = Math.min(BUDGETS[thinking], asked.max_tokens - ANSWER_TOKENS);
  if (budget_tokens < LEAST_BUDGET || !mayThink(asked.turns)) return {};
  return { thinking: { type: 'enabled', budget_tokens } };
}

/** With a budget, a turn that goes on after its tools has to have begun with thoughts. */
function mayThink(turns: readonly Turn[]): boolean {
  const goesOn = turns.at(-1)?.content[0]?.type === 'tool_result';
  const first = turns.at(-2)?.content[0]?.type;
  return !goesOn || first === 'thinking' || first === 'redacted_thinking';
}
