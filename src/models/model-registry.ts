import { AppError } from '../kernel/app-error.js';
import type { ModelProvider, ModelRequest } from './model-provider.js';

export interface ResolvedModel {
  readonly provider: ModelProvider;
  /** The vendor's name for the model; may contain slashes. */
  readonly model: string;
  /** `<provider>/<name>` */
  readonly name: string;
}

/** What a request gets where nobody says. */
export type ModelDefaults = Pick<ModelRequest, 'max_output_tokens' | 'thinking'>;

/** A model, and those that are asked when it fails. */
export type ModelChain = readonly [ResolvedModel, ...ResolvedModel[]];

const MAX_MODELS = 8;

/** Finds the providers that serve models, by names such as `openai/gpt-5-mini`. */
export class ModelRegistry {
  private readonly providers: ReadonlyMap<string, ModelProvider>;

  /**
   * @param defaultModel what a chat gets that names no model; may be several
   * @throws AppError when no provider serves the default
   */
  constructor(
    providers: readonly ModelProvider[],
    readonly defaultModel: string,
    readonly defaults: ModelDefaults = {},
  ) {
    this.providers = new Map(providers.map((provider) => [provider.name, provider]));
    this.resolve(defaultModel);
  }

  /**
   * One model, or several separated by commas, in the order in which they are asked.
   * @throws AppError `unknown_model` when a name is not `<provider>/<name>`, or nobody serves it
   */
  resolve(names: string = this.defaultModel): ModelChain {
    const [first = '', ...others] = names.split(',').map((name) => name.trim());
    if (others.length >= MAX_MODELS)
      throw this.unknown(`"${shown(names)}" names more than ${MAX_MODELS} models`);
    return [this.find(first), ...others.map((name) => this.find(name))];
  }

  private find(name: string): ResolvedModel {
    const slash = name.indexOf('/');
    if (slash === -1) throw this.unknown(`"${shown(name)}" does not say whose model it is`);
    const provider = this.providers.get(name.slice(0, slash));
    if (!provider)
      throw this.unknown(`No provider called "${shown(name.slice(0, slash))}" is set up here`);
    const model = name.slice(slash + 1);
    if (model.trim() === '') throw this.unknown(`"${shown(name)}" names no model after the slash`);
    return { provider, model, name };
  }

  private unknown(fault: string): AppError {
    const available = [...this.providers.keys()].join(', ');
    const message = `${fault}. Write <provider>/<name>, such as ${this.defaultModel}. Providers: ${available}.`;
    return new AppError('invalid', 'unknown_model', message, {
      errors: [{ field: 'model', message }],
    });
  }
}

/** What a client sent, bounded. */
function shown(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}
