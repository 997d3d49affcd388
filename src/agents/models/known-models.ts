import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { ModelRegistry, namesIn } from '../../models/model-registry.js';
import { seesImages } from '../../models/sees-images.js';
import { AgentRegistry } from '../agent-registry.js';
import type { ListedModel, ModelList } from './listed-models.js';

/** A file of prices can have thousands. */
const MAX_MODELS = 200;
const DEMO = 'demo/script';

/** The models that the configuration and agents name, of the providers that are set up. */
@Injectable()
export class KnownModels {
  constructor(
    private readonly config: Config,
    private readonly registry: ModelRegistry,
    private readonly agents: AgentRegistry,
  ) {}

  list(): ModelList {
    const providers = this.registry.providerNames;
    const names = this.names().filter((name) => providers.includes(providerOf(name)));
    return {
      items: names.slice(0, MAX_MODELS).map((name) => this.view(name)),
      providers,
      has_more: names.length > MAX_MODELS,
    };
  }

  private names(): string[] {
    const { modelContexts = {}, modelImages, prices } = this.config;
    const names = [
      ...this.defaults,
      ...this.agents.list().flatMap(({ type }) => namesIn(type.model)),
      ...Object.keys(modelContexts),
      ...modelImages.filter((name) => !name.endsWith('*')),
      DEMO,
      ...prices.names,
    ];
    return [...new Set(names)];
  }

  private view(model: string): ListedModel {
    const { modelContexts, modelContextTokens, modelImages, prices } = this.config;
    const agents = this.agents.list().filter(({ type }) => namesIn(type.model).includes(model));
    return {
      model,
      provider: providerOf(model),
      is_default: this.defaults.includes(model),
      agents: agents.map(({ type }) => type.name),
      context_tokens: modelContexts?.[model] ?? modelContextTokens,
      sees_images: seesImages(model, modelImages),
      price: prices.of(model) ?? null,
    };
  }

  private get defaults(): string[] {
    return namesIn(this.registry.defaultModel);
  }
}

/** Empty for a name without a slash. */
function providerOf(model: string): string {
  return model.slice(0, Math.max(0, model.indexOf('/')));
}
