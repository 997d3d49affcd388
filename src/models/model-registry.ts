import { AppError } from '../kernel/app-error.js';
import type { ModelProvider } from './model-provider.js';

export interface ResolvedModel {
  readonly provider: ModelProvider;
  /** The vendor's name for the model; may contain slashes. */
  readonly model: string;
}

/** Finds the provider that serves a model, by a name such as `openai/gpt-5-mini`. */
export class ModelRegistry {
  private readonly providers: ReadonlyMap<string, ModelProvider>;

  /**
   * @param defaultModel what a chat gets that names no model
   * @throws AppError when no provider serves the default
   */
  constructor(
    providers: readonly ModelProvider[],
    readonly defaultModel: string,
  ) {
    this.providers = new Map(providers.map((provider) => [provider.name, provider]));
    this.resolve(defaultModel);
  }

  /** @throws AppError `unknown_model` when the name is not `<provider>/<name>`, or nobody serves it */
  resolve(name: string = this.defaultModel): ResolvedModel {
    const slash = name.indexOf('/');
    if (slash === -1) throw this.unknown(`"${shown(name)}" does not say whose model it is`);
    const provider = this.providers.get(name.slice(0, slash));
    if (!provider)
      throw this.unknown(`No provider called "${shown(name.slice(0, slash))}" is set up here`);
    const model = name.slice(slash + 1);
    if (model.trim() === '') throw this.unknown(`"${shown(name)}" names no model after the slash`);
    return { provider, model };
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
