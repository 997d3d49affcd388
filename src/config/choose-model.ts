import type { Variables } from './schema.js';

type ModelVariables = Pick<
  Variables,
  'MODEL' | 'OPENAI_API_KEY' | 'OPENAI_BASE_URL' | 'ANTHROPIC_API_KEY'
>;

/** What a variable that is set makes the default, in the order in which they are looked at. */
const DEFAULTS = [
  ['OPENAI_API_KEY', 'openai/gpt-5-mini'],
  ['OPENAI_BASE_URL', 'openai/gpt-5-mini'],
  ['ANTHROPIC_API_KEY', 'anthropic/claude-sonnet-5'],
] as const;

/** The default model, and why: what is asked for, else what there is a key or an endpoint for, else the script. */
export function chooseModel(variables: ModelVariables): { model: string; modelReason: string } {
  if (variables.MODEL) return { model: variables.MODEL, modelReason: 'MODEL says so' };
  for (const [name, model] of DEFAULTS)
    if (variables[name]) return { model, modelReason: `${name} is set` };
  return {
    model: 'demo/script',
    modelReason: 'neither MODEL, OPENAI_API_KEY, OPENAI_BASE_URL nor ANTHROPIC_API_KEY is set',
  };
}
