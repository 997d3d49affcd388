import { seesImages } from './sees-images.js';

describe(seesImages.name, () => {
  it.each([
    'openai/gpt-5-mini',
    'openai/gpt-4o-2024-11-20',
    'openai/gpt-4.1',
    'openai/o3',
    'openai/o4-mini',
    'openai/chatgpt-4o-latest',
    'openai/anthropic/claude-sonnet-4.5',
    'openai/google/gemini-3-pro',
    'openai/gemma3:12b',
    'openai/qwen2.5vl:7b',
    'openai/Qwen/Qwen3-VL-8B',
    'openai/llama3.2-vision',
    'anthropic/claude-opus-5',
    'anthropic/claude-3-haiku-20240307',
    'anthropic/us.anthropic.claude-sonnet-5',
  ])('knows that %s sees', (model) => expect(seesImages(model)).toBe(true));

  it.each([
    'openai/gpt-3.5-turbo',
    'openai/gpt-4',
    'openai/gpt-4-0613',
    'openai/gpt-oss:20b',
    'openai/o1-mini',
    'openai/o3-mini',
    'openai/gpt-4o-audio-preview',
    'openai/llama3.1',
    'openai/deepseek-chat',
    'openai/whatever',
    'anthropic/claude-2.1',
    'anthropic/claude-instant-1.2',
    'anthropic/fake',
  ])('takes %s for one that doesn’t', (model) => expect(seesImages(model)).toBe(false));

  it('believes the operator more than a name', () => {
    const named = ['openai/mine', 'openai/qwen*'];
    expect(seesImages('openai/mine', named)).toBe(true);
    expect(seesImages('openai/mine-2', named)).toBe(false);
    expect(seesImages('openai/qwen/any', named)).toBe(true);
    expect(seesImages('openai/gpt-5-mini', named)).toBe(false);
    expect(seesImages('openai/gpt-5-mini', ['none'])).toBe(false);
    expect(seesImages('openai/whatever', ['*'])).toBe(true);
  });
});
