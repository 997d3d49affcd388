export const APPROVAL_MODES = ['ask', 'auto', 'deny', 'defer'] as const;

/**
 * Treatment of a tool call that needs approval. `ask`: ask and wait; `auto`: allow; `deny`: deny;
 * `defer`: ask while the agent continues.
 */
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

export const MAX_SYSTEM_PROMPT = 32_000;
export const MAX_WORKSPACE = 4_096;
export const MAX_CONTEXT_MESSAGES = 10_000;
