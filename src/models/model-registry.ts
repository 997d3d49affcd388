import { AppError } from '../kernel/app-error.js';
import { duplicateName } from '../kernel/duplicate-name.js';
import type { ModelProvider, ModelRequest } from './model-provider.js';
import { cutText } from '../kernel/text/cut-text.js';

export interface ResolvedModel {
  readonly provider: ModelProvider;
  /** The vendor's model name; may contain slashes. */
  readonly model: string;
  /** `<provider>/<name>` */
  readonly name: string;
}

/** Settings of a request that specifies none. */
export type ModelDefaults = Pick<ModelRequest, 'max_output_tokens' | 'thinking'>;

/** A model and its fallbacks, in order. */
export type ModelChain = readonly [ResolvedModel, ...ResolvedModel[]];

const MAX_MODELS = 8;

/** The settings that set a provider up. */
const SETTINGS: ReadonlyMap<string, string> = new Map([
  ['openai', 'OPENAI_API_KEY or OPENAI_BASE_URL'],
  ['anthropic', 'ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL'],
]);

/** Resolves model names, such as `openai/gpt-5-mini`, to their providers. */
export class ModelRegistry {
  private readonly providers = new Map<string, ModelProvider>();

  /** @param defaultModel the model of a chat that names none; may be a list */
  constructor(
    providers: readonly ModelProvider[],
    readonly defaultModel: string,
    readonly defaults: ModelDefaults = {},
  ) {
    for (const provider of providers) this.add(provider);
  }

  /** @throws Error if the name can't be part of a model's name; AppError `duplicate_name` */
  add(provider: ModelProvider): void {
    const { name } = provider;
    if (!/^[a-z0-9_-]{1,32}$/.test(name))
      throw new Error(
        `The provider name ${JSON.stringify(name)} is not usable: take 1 to 32 of a-z, 0-9, "_", "-".`,
      );
    const other = this.providers.get(name);
    if (other) throw duplicateName('model providers', name, [other, provider]);
    this.providers.set(name, provider);
  }

  get providerNames(): string[] {
    return [...this.providers.keys()];
  }

  /**
   * Resolves one model, or several separated by commas in the order of fallback.
   * @throws AppError `unknown_model` when a name is not `<provider>/<name>`, or has no provider
   */
  resolve(names: string = this.defaultModel): ModelChain {
    const [first = '', ...others] = namesIn(names);
    if (others.length >= MAX_MODELS)
      throw this.unknown(`"${shown(names)}" names more than ${MAX_MODELS} models`);
    return [this.find(first), ...others.map((name) => this.find(name))];
  }

  private find(name: string): ResolvedModel {
    const slash = name.indexOf('/');
    if (slash === -1) throw this.unknown(`"${shown(name)}" does not say whose model it is`);
    const provider = this.providers.get(name.slice(0, slash));
    if (!provider) throw this.unknown(this.missing(name.slice(0, slash)));
    const model = name.slice(slash + 1);
    if (model.trim() === '') throw this.unknown(`"${shown(name)}" names no model after the slash`);
    return { provider, model, name };
  }

  private missing(provider: string): string {
    const setting = SETTINGS.get(provider);
    const remedy = setting === undefined ? '' : `: the server needs ${setting}`;
    return `No provider called "${shown(provider)}" is set up here${remedy}`;
  }

  /** The default, unless the server has no provider for it. */
  private get example(): string {
    const found = namesIn(this.defaultModel).find((name) =>
      this.providers.has(name.slice(0, name.indexOf('/'))),
    );
    return found ?? 'demo/script';
  }

  private unknown(fault: string): AppError {
    const available = this.providerNames.join(', ');
    const message = `${fault}. Write <provider>/<name>, such as ${this.example}. Providers: ${available}.`;
    return new AppError('invalid', 'unknown_model', message, {
      errors: [{ field: 'model', message }],
    });
  }
}

/** Splits the names of models, separated by commas. */
export function namesIn(models = ''): string[] {
  return models.split(',').map((name) => name.trim());
}

/** Truncates a name sent by a client, for error messages. */
function shown(name: string): string {
  return name.length > 100 ? `${cutText(name, 100)}…` : name;
}
