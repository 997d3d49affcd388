import type { ModelPrices } from '../../protocol/budget.js';

/** The day on which these prices were noted. Vendors change them without notice. */
export const PRICES_NOTED_ON = '2026-02-28';

/** The list prices of a vendor, by the names that its models have there. */
interface VendorPrices {
  /** The provider that speaks the vendor's protocol: `openai` or `anthropic`. */
  readonly provider: string;
  /** The vendor's own host: another one at the same names may cost anything. */
  readonly host: string;
  readonly models: ModelPrices;
}

/**
 * US dollars per million tokens, of requests of ordinary size and speed. Without names whose model
 * and price change, such as `deepseek-chat`.
 */
export const DEFAULT_PRICES: readonly VendorPrices[] = [
  {
    provider: 'openai',
    host: 'api.openai.com',
    models: {
      'gpt-5.2': { input: 1.75, cached_input: 0.175, output: 14 },
      'gpt-5.1': { input: 1.25, cached_input: 0.125, output: 10 },
      'gpt-5': { input: 1.25, cached_input: 0.125, output: 10 },
      'gpt-5-mini': { input: 0.25, cached_input: 0.025, output: 2 },
      'gpt-5-nano': { input: 0.05, cached_input: 0.005, output: 0.4 },
      'gpt-4.1': { input: 2, cached_input: 0.5, output: 8 },
      'gpt-4.1-mini': { input: 0.4, cached_input: 0.1, output: 1.6 },
      'gpt-4.1-nano': { input: 0.1, cached_input: 0.025, output: 0.4 },
      'gpt-4o': { input: 2.5, cached_input: 1.25, output: 10 },
      'gpt-4o-2024-05-13': { input: 5, output: 15 },
      'gpt-4o-mini': { input: 0.15, cached_input: 0.075, output: 0.6 },
      o3: { input: 2, cached_input: 0.5, output: 8 },
      'o4-mini': { input: 1.1, cached_input: 0.275, output: 4.4 },
    },
  },
  {
    provider: 'anthropic',
    host: 'api.anthropic.com',
    models: {
      'claude-opus-4-6': { input: 5, cached_input: 0.5, cache_write: 6.25, output: 25 },
      'claude-opus-4-5': { input: 5, cached_input: 0.5, cache_write: 6.25, output: 25 },
      'claude-sonnet-4-6': { input: 3, cached_input: 0.3, cache_write: 3.75, output: 15 },
      'claude-sonnet-4-5': { input: 3, cached_input: 0.3, cache_write: 3.75, output: 15 },
      'claude-haiku-4-5': { input: 1, cached_input: 0.1, cache_write: 1.25, output: 5 },
    },
  },
  {
    provider: 'openai',
    host: 'generativelanguage.googleapis.com',
    models: {
      'gemini-2.5-pro': { input: 1.25, cached_input: 0.125, output: 10 },
      'gemini-2.5-flash': { input: 0.3, cached_input: 0.03, output: 2.5 },
      'gemini-2.5-flash-lite': { input: 0.1, cached_input: 0.01, output: 0.4 },
    },
  },
  {
    provider: 'openai',
    host: 'api.mistral.ai',
    models: {
      'mistral-medium-2508': { input: 0.4, output: 2 },
      'mistral-small-2506': { input: 0.1, output: 0.3 },
    },
  },
  {
    provider: 'openai',
    host: 'api.x.ai',
    models: {
      'grok-4': { input: 3, cached_input: 0.75, output: 15 },
      'grok-code-fast-1': { input: 0.2, cached_input: 0.02, output: 1.5 },
    },
  },
];
