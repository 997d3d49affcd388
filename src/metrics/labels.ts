import type { AgentRegistry } from '../agents/agent-registry.js';
import type { Config } from '../config/config.js';
import { ERRORS, PROBLEMS } from '../protocol/codes.js';

/** Values that are not known in advance. */
const OTHER = 'other';
const MAX_MODELS = 200;
const MAX_NAMES = 200;
/** Codes that interactions usually fail with. */
export const ERROR_CODES = Object.keys(ERRORS);
export const MODEL_CODES = ERROR_CODES.filter((code) => code.startsWith('model_'));
const CODES = new Set([...Object.keys(ERRORS), ...Object.keys(PROBLEMS)]);

/** The class of a status, such as `4xx`. */
export function statusLabel(status: number): string {
  return `${Math.floor(status / 100)}xx`;
}

/** Names that are registered while the server runs: the first ones count by name. */
export class NameLabels {
  private readonly known = new Set<string>();

  of(name: string | undefined): string {
    if (name === undefined) return OTHER;
    if (!this.known.has(name) && this.known.size >= MAX_NAMES) return OTHER;
    this.known.add(name);
    return name;
  }

  /** True if the name has no label yet and would get its own. */
  isNew(name: string): boolean {
    return !this.known.has(name) && this.known.size < MAX_NAMES;
  }
}

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
  /** Labels of what is used most, and of all that is not known. */
  readonly usual: readonly string[];
  private readonly known: Set<string>;

  constructor(
    { model, prices, modelContexts = {} }: Config,
    private readonly agents: Pick<AgentRegistry, 'list'>,
  ) {
    this.usual = [...namesIn(model), OTHER];
    const configured = [...prices.names, ...Object.keys(modelContexts)];
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
