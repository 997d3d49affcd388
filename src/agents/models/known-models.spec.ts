import { loadConfig } from '../../config/load-config.js';
import { DemoProvider } from '../../models/demo/demo-provider.js';
import { ModelRegistry } from '../../models/model-registry.js';
import type { AgentRegistry } from '../agent-registry.js';
import { KnownModels } from './known-models.js';

describe(KnownModels.name, () => {
  it('is bounded where the prices have thousands, and has agents’ models first', () => {
    const price = { input: 1, output: 1 };
    const prices = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`demo/${n}`, price]));
    const config = loadConfig({ MODEL_PRICES: JSON.stringify(prices) });
    const type = { name: 'one', description: '', model: 'demo/own, gone/model' };
    const agents = { list: () => [{ type }] } as unknown as AgentRegistry;
    const registry = new ModelRegistry([new DemoProvider()], 'demo/script');
    const { items, has_more } = new KnownModels(config, registry, agents).list();
    expect(items.map(({ model }) => model).slice(0, 3)).toEqual([
      ...['demo/script', 'demo/own', 'demo/0'],
    ]);
    expect(items[1]).toMatchObject({ agents: ['one'], price: null });
    expect([items.length, has_more]).toEqual([200, true]);
  });
});
