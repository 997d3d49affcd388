import type { ModelPrice, ModelPrices } from '../../protocol/budget.js';
import type { Variables } from '../schema.js';
import { DEFAULT_PRICES } from './default-prices.js';

/** The version that ends a model's name: `-2025-08-07`, `-20250929`, `-2508`, `-001`, `-latest`. */
const VERSION = /[-@](\d{4}-\d\d-\d\d|\d\d-\d{4}|\d{3,8}|latest)$/;

/** The prices of models, by `<provider>/<name>`. */
export class Prices {
  /** @param sources in order of precedence */
  constructor(private readonly sources: readonly ModelPrices[]) {}

  /** A name with a version has the price of the name without it, unless it has its own. */
  of(model: string): ModelPrice | undefined {
    const family = model.replace(VERSION, '');
    for (const prices of this.sources) {
      const own = [model, family].find((name) => Object.hasOwn(prices, name));
      if (own !== undefined) return prices[own];
    }
    return undefined;
  }

  /** The names that have a price, with those in the first source first. */
  get names(): string[] {
    return [...new Set(this.sources.flatMap((prices) => Object.keys(prices)))];
  }
}

type PriceVariables = Pick<Variables, 'MODEL_PRICES' | 'OPENAI_BASE_URL' | 'ANTHROPIC_BASE_URL'>;

/** `MODEL_PRICES`, then the file, then the list prices of the vendors that are used. */
export function pricesOf(variables: PriceVariables, file: ModelPrices): Prices {
  const { MODEL_PRICES = {}, OPENAI_BASE_URL, ANTHROPIC_BASE_URL } = variables;
  const hosts: Readonly<Record<string, string>> = {
    openai: hostOf(OPENAI_BASE_URL) ?? 'api.openai.com',
    anthropic: hostOf(ANTHROPIC_BASE_URL) ?? 'api.anthropic.com',
  };
  const used = DEFAULT_PRICES.filter(({ provider, host }) => hosts[provider] === host);
  const defaults = used.flatMap(({ provider, models }) =>
    Object.entries(models).map(([name, price]) => [`${provider}/${name}`, price] as const),
  );
  return new Prices([MODEL_PRICES, file, Object.fromEntries(defaults)]);
}

function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).hostname;
}
