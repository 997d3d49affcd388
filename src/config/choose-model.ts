import type { Variables } from './environment.js';

type ModelVariables = Pick<Variables, 'MODEL' | 'OPENAI_API_KEY' | 'OPENAI_BASE_URL'>;

/** The default model, and why: what is asked for, else what there is a key or an endpoint for, else the script. */
export function chooseModel(variables: ModelVariables): { model: string; modelReason: string } {
  if (variables.MODEL) return { model: variables.MODEL, modelReason: 'MODEL says so' };
  if (variables.OPENAI_API_KEY)
    return { model: 'openai/gpt-5-mini', modelReason: 'OPENAI_API_KEY is set' };
  if (variables.OPENAI_BASE_URL)
    return { model: 'openai/gpt-5-mini', modelReason: 'OPENAI_BASE_URL is set' };
  return {
    model: 'demo/script',
    modelReason: 'neither MODEL, OPENAI_API_KEY nor OPENAI_BASE_URL is set',
  };
}
