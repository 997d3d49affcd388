import type { Budget } from './budget.js';
import type { Thinking } from './thinking.js';

export const APPROVAL_MODES = ['ask', 'auto', 'deny', 'defer'] as const;

/**
 * Treatment of a tool call that needs approval. `ask`: ask and wait; `auto`: allow; `deny`: deny;
 * `defer`: ask while the agent continues.
 */
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

/**
 * Defaults of the interactions of a chat, which a message may override. A field that is left out is
 * that of the agent, or of the server.
 */
export interface ChatSettings {
  /** The kind of agent. */
  readonly agent?: string;
  /** As in a start: `<provider>/<name>`, or several separated by commas. */
  readonly model?: string;
  readonly thinking?: Thinking;
  readonly approval_mode?: ApprovalMode;
  readonly max_iterations?: number;
  readonly budget?: Budget;
  /** Replaces the system prompt of the agent. */
  readonly system_prompt?: string;
  /** Absolute path of the folder that the agents work in, under one of the WORKSPACE_ROOTS. */
  readonly workspace?: string;
  /** The agent sees only so many of the last messages. */
  readonly context_messages?: number;
}

export const MAX_SYSTEM_PROMPT = 32_000;
export const MAX_WORKSPACE = 4_096;
export const MAX_CONTEXT_MESSAGES = 10_000;
