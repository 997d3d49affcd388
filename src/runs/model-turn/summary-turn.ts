import type { Entry } from '../../event-log/append/run-log.js';
import type { Message, UserMessage } from '../../protocol/message.js';
import type { AgentIdentity, GenerateOptions } from '../../agents/agent-context.js';
import { fixedTokens, messageTokens } from '../context-window/estimate-tokens.js';
import { summaryTokens } from '../context-window/plan-cut.js';
import {
  keptSummary,
  summaryInstructions,
  summaryTranscript,
} from '../context-window/summary-request.js';
import type { ModelTurnInput } from './model-turn.js';
import type { AgentScope } from '../scope/agent-scope.js';
import { turnRequest } from './turn-request.js';

export interface SummaryTurnInput {
  readonly key: string;
  readonly agent: AgentIdentity;
  /** Of the turn whose conversation is too long. */
  readonly options: GenerateOptions;
  /** What is to be summarised, and the summary of what was before that. */
  readonly messages: readonly Message[];
  readonly earlier: string | null;
  /** Tokens that a request may have. */
  readonly budget: number;
  /** How far off estimates are. */
  readonly scale: number;
  /** What is written of the summary. */
  readonly written: (summary: string) => Entry;
}

/** The turn in which the model summarises what it will not be sent any more; nobody sees it. */
export function summaryTurn(scope: AgentScope, input: SummaryTurnInput): ModelTurnInput {
  const { key, agent, messages, earlier, budget, scale } = input;
  const allowed = summaryTokens(budget);
  const instructions = summaryInstructions(allowed);
  const { model } = input.options;
  const options = {
    instructions,
    tools: [],
    tool_choice: 'none',
    visible: false,
    ...(model !== undefined && { model }),
  } as const;
  const fixed = fixedTokens(options);
  return {
    ...{ key, agent, options, in_conversation: false },
    request: ({ model: name }, refusal) => {
      const room = Math.max(0, (refusal ? budget / 2 : budget) / scale - fixed - allowed);
      const content = summaryTranscript({ messages, summary: earlier, room });
      const asked: UserMessage = { role: 'user', content };
      const request = turnRequest(scope, options, { model: name, messages: [asked] });
      return { request, tokens: fixed + messageTokens(asked) };
    },
    before: (turn) => {
      const summary = keptSummary(turn.message().content ?? '', allowed / scale);
      return summary === undefined ? [] : [input.written(summary)];
    },
  };
}
