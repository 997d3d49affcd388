export const THINKING_EFFORTS = ['low', 'medium', 'high'] as const;

export type ThinkingEffort = (typeof THINKING_EFFORTS)[number];

/** The least that a vendor takes. */
export const MIN_THINKING_BUDGET = 1_024;
export const MAX_THINKING_BUDGET = 1_000_000;

/** How much a model thinks before it answers: an effort, or an exact number of tokens. */
export type Thinking = ThinkingEffort | { readonly budget_tokens: number };

/** The values of `Thinking`, for people. */
export const THINKING_VALUES = `${THINKING_EFFORTS.join(', ')} or {"budget_tokens": <a whole number from ${MIN_THINKING_BUDGET} to ${MAX_THINKING_BUDGET}>}`;
