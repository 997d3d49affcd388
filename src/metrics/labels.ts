import type { AgentRegistry } from '../agents/agent-registry.js';
import type { Config } from '../config/config.js';
import { ERRORS, PROBLEMS } from '../protocol/codes.js';

/** Values that are not known in advance. */
const OTHER = 'other';
const MAX_MODELS = 200;
const MODEL_CODES = Object.keys(ERRORS).filter((code) => code.startsWith('model_'));
const CODES = new Set([...Object.keys(ERRORS), ...Object.keys(PROBLEMS)]);

/** The label of an error's code: agents of packages may throw errors with any. */
export function codeLabel(code: string): string {
  return CODES.has(code) ? code : OTHER;
}

/** The label of a model's error. */
export function modelCodeLabel(code: string): string {
  return MODEL_CODES.includes(code) ? code : OTHER;
}

/** Labels for models: those that the configuration and agents name; clients may name any. */
export class ModelLabels {
  private readonly known: Set<string>;

  constructor(
    { model, modelPrices = {}, modelContexts = {} }: Config,
    private readonly agents: Pick<AgentRegistry, 'list'>,
  ) {
    const configured = [...Object.keys(modelPrices), ...Object.keys(modelContexts)];
    this.known = new Set([...namesIn(model), ...configured].slice(0, MAX_MODELS));
  }

  of(model: string): string {
    if (this.known.has(model)) return model;
    const isOfAgent = this.agents.list().some(({ type }) => namesIn(type.model).includes(model));
    if (!isOfAgent || this.known.size >= MAX_MODELS) return OTHER;
    this.known.add(model);
    return model;
  }
}

function namesIn(models = ''): string[] {
  return models.split(',').map((name) => name.trim());
}
