/** What a request has to respect of one model. */
export interface ModelTraits {
  /** Tokens that a turn may have unless told otherwise; thoughts count. */
  readonly max_tokens: number;
  /** Whether it decides itself how much to think, or is given a budget. */
  readonly thinking: 'adaptive' | 'budget';
}

const VERSION = /^claude-(?:[a-z]+-)?(\d{1,2})(?:-(\d{1,2}))?(?!\d)/;
/** The first that decide themselves; those of the next generation refuse a budget. */
const FIRST_ADAPTIVE = 4.06;

/** By the model's name: `claude-opus-4-8`, `claude-3-5-sonnet-20241022`. What we don't know gets what most take. */
export function modelTraits(model: string): ModelTraits {
  const [, major, minor = '0'] = VERSION.exec(model) ?? [];
  if (major === undefined) return { max_tokens: 8_192, thinking: preview(model) };
  const version = Number(major) + Number(minor) / 100;
  return {
    max_tokens: maxTokens(version),
    thinking: version >= FIRST_ADAPTIVE ? 'adaptive' : 'budget',
  };
}

function maxTokens(version: number): number {
  if (version < 3.05) return 4_096;
  return version < 3.07 ? 8_192 : 32_000;
}

/** A name of the vendor's without a number is newer than those with a budget. */
function preview(model: string): ModelTraits['thinking'] {
  return model.startsWith('claude-') ? 'adaptive' : 'budget';
}
