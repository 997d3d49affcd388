import type { Config } from '../../config/config.js';

/** How much models take, as the operator says, and what to do when it is too much. */
export type ContextSettings = Pick<
  Config,
  'contextStrategy' | 'modelContextTokens' | 'modelContexts'
>;

/** For the answer, where nobody says how long it may be. */
const ANSWER = 8_192;

/** Tokens that a request to this model may have, so that there is room for its answer. */
export function requestBudget(
  settings: ContextSettings,
  { model, answer = ANSWER }: { readonly model: string; readonly answer?: number | undefined },
): number {
  const context = settings.modelContexts?.[model] ?? settings.modelContextTokens;
  return Math.floor(context - Math.min(answer, context / 4));
}
