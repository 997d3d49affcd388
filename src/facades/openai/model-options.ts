import { z } from 'zod';
import type { RunOptions } from '../../interactions/start/start-request.js';
import { MAX_OUTPUT_TOKENS, MAX_TEMPERATURE, samplingOf } from '../../protocol/sampling.js';
import type { Sampling } from '../../protocol/sampling.js';
import { THINKING_EFFORTS } from '../../protocol/thinking.js';
import { optional } from './read-body.js';

export const effort = optional(z.enum(THINKING_EFFORTS));
export const maxOutputTokens = optional(z.int().min(1).max(MAX_OUTPUT_TOKENS));
export const sampling = {
  temperature: optional(z.number().min(0).max(MAX_TEMPERATURE)),
  top_p: optional(z.number().min(0).max(1)),
};

/** Options of a start that its models get. */
export type ModelOptions = Pick<RunOptions, 'thinking' | keyof Sampling>;

export function modelOptions(
  thinking: z.output<typeof effort>,
  given: Parameters<typeof samplingOf>[0],
): ModelOptions {
  return { ...(thinking && { thinking }), ...samplingOf(given) };
}
