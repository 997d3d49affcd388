import type { z } from 'zod';
import type { Immutable } from './json.js';
import type { budget } from './wire/fields.js';

/** Limits for an agent and all below it; a field that is left out sets no limit. */
export type Budget = Immutable<z.infer<typeof budget>>;

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Price of input that the provider read from its cache; `input` unless it is given. */
  readonly cached_input?: number | undefined;
  /** Price of input that the provider wrote to its cache; `input` unless it is given. */
  readonly cache_write?: number | undefined;
}

/** By `<provider>/<name>`. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;
