/** Request limits and features of one model. */
export interface ModelTraits {
  /** Default limit of tokens for a turn, thinking included. */
  readonly max_tokens: number;
  /** `adaptive`: the model decides how much to think. `budget`: the request sets a budget. */
  readonly thinking: 'adaptive' | 'budget';
  /** True if a request may set a budget. */
  readonly takes_budget: boolean;
}

const VERSION = /^claude-(?:[a-z]+-)?(\d{1,2})(?:-(\d{1,2}))?(?!\d)/;
/** First model version with adaptive thinking; it still takes a budget. */
const FIRST_ADAPTIVE = 4.06;
const LAST_WITH_BUDGET = 4.06;

/**
 * Finds the traits by model name, such as `claude-opus-4-8` or `claude-3-5-sonnet-20241022`.
 * Unknown models get the values that most models accept.
 */
export function modelTraits(model: string): ModelTraits {
  const [, major, minor = '0'] = VERSION.exec(model) ?? [];
  if (major === undefined) return { max_tokens: 8_192, ...preview(model) };
  const version = Number(major) + Number(minor) / 100;
  return {
    max_tokens: maxTokens(version),
    thinking: version >= FIRST_ADAPTIVE ? 'adaptive' : 'budget',
    takes_budget: version <= LAST_WITH_BUDGET,
  };
}

function maxTokens(version: number): number {
  if (version < 3.05) return 4_096;
  return version < 3.07 ? 8_192 : 32_000;
}

/** A vendor model name without a version number is newer than the models with a budget. */
function preview(model: string): Pick<ModelTraits, 'thinking' | 'takes_budget'> {
  return model.startsWith('claude-')
    ? { thinking: 'adaptive', takes_budget: false }
    : { thinking: 'budget', takes_budget: true };
}
