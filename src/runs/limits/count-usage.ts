import type { Usage } from '../../protocol/interaction.js';

/**
 * The usage that budgets count: as reported, with estimates in place of counts that are missing.
 * The same object if nothing is missing.
 */
export function countUsage(
  usage: Usage,
  estimate: { readonly input: number; readonly output: number },
): Usage {
  const { input_tokens, output_tokens } = usage;
  const isWhole = input_tokens > 0 && (output_tokens > 0 || estimate.output === 0);
  if (isWhole) return usage;
  return {
    ...usage,
    input_tokens: input_tokens || estimate.input,
    output_tokens: output_tokens || estimate.output,
  };
}
