export const APPROVAL_MODES = ['ask', 'auto', 'deny', 'defer'] as const;

/**
 * Treatment of a tool call that needs approval. `ask`: ask and wait; `auto`: allow; `deny`: deny;
 * `defer`: ask while the agent continues.
 */
export type ApprovalMode = (typeof APPROVAL_MODES)[number];
