/** How a model writes a turn; what is left out, the model's API decides. */
export interface Sampling {
  /** 0 to 2. */
  readonly temperature?: number;
  /** 0 to 1. */
  readonly top_p?: number;
  /** Maximum number of output tokens of a turn, thinking included. */
  readonly max_output_tokens?: number;
}

export const MAX_TEMPERATURE = 2;
export const MAX_OUTPUT_TOKENS = 1_000_000;

/** The fields of a `Sampling` that are there. */
export function samplingOf({
  temperature,
  top_p,
  max_output_tokens,
}: { readonly [K in keyof Sampling]: Sampling[K] | undefined }): Sampling {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { top_p }),
    ...(max_output_tokens !== undefined && { max_output_tokens }),
  };
}
