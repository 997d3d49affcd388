import { AppError } from '../kernel/app-error.js';
import { ModelProvider, type ModelEvent } from './model-provider.js';
import { ModelRegistry } from './model-registry.js';

class Silent extends ModelProvider {
  constructor(readonly name: string) {
    super();
  }

  async *stream(): AsyncGenerator<ModelEvent> {}
}

function refusal(act: () => unknown): AppError {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('was not refused');
}

describe(ModelRegistry.name, () => {
  const openai = new Silent('openai');
  const demo = new Silent('demo');
  const registry = new ModelRegistry([openai, demo], 'demo/script');

  it.each([
    ['openai/gpt-5-mini', openai, 'gpt-5-mini'],
    ['openai/meta-llama/Llama-3.3-70B', openai, 'meta-llama/Llama-3.3-70B'],
    ['demo/script', demo, 'script'],
  ])('resolves %s', (name, provider, model) => {
    expect(registry.resolve(name)).toEqual([{ provider, model, name }]);
  });

  it('resolves the default when nothing is named', () => {
    expect(registry.resolve()).toEqual([{ provider: demo, model: 'script', name: 'demo/script' }]);
  });

  it('resolves several in their order', () => {
    expect(registry.resolve('openai/a, demo/script').map(({ name }) => name)).toEqual([
      'openai/a',
      'demo/script',
    ]);
  });

  it('refuses more than eight', () => {
    const names = (count: number): string => Array.from({ length: count }, () => 'demo/x').join();
    expect(registry.resolve(names(8))).toHaveLength(8);
    expect(refusal(() => registry.resolve(names(9))).message).toContain('more than 8 models');
  });

  it.each([
    'openai/a,',
    'openai/a,azure/b',
    'gpt-5-mini',
    '',
    '/',
    'openai/',
    'openai/ ',
    'azure/gpt-5',
    '/gpt-5',
  ])('refuses "%s"', (name) => {
    const error = refusal(() => registry.resolve(name));
    expect(error).toMatchObject({
      kind: 'invalid',
      code: 'unknown_model',
      errors: [{ field: 'model' }],
    });
    expect(error.message).toContain('Providers: openai, demo.');
  });

  it('names the setting of a vendor that is not set up', () => {
    const error = refusal(() => new ModelRegistry([demo], 'demo/script').resolve('openai/gpt-5'));
    expect(error.message).toContain('the server needs OPENAI_API_KEY or OPENAI_BASE_URL');
  });

  it.each(['constructor', '__proto__'])('knows no setting of "%s"', (name) => {
    const error = refusal(() => registry.resolve(`${name}/x`));
    expect(error.message).toContain(`No provider called "${name}" is set up here. Write`);
  });

  it('gives no default that nobody serves as an example', () => {
    const error = refusal(() => new ModelRegistry([demo], 'openai/x,foo/bar').resolve());
    expect(error.message).toContain('such as demo/script.');
  });

  it('does not repeat a name of any length', () => {
    expect(refusal(() => registry.resolve('x'.repeat(10_000))).message.length).toBeLessThan(300);
  });

  it('refuses a default that nobody serves', () => {
    expect(refusal(() => new ModelRegistry([openai], 'demo/script').resolve()).code).toBe(
      'unknown_model',
    );
  });
});
