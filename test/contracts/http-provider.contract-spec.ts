import { AnthropicProvider } from '../../src/models/anthropic/anthropic-provider.js';
import { OpenAiProvider } from '../../src/models/openai/openai-provider.js';
import { blockDelta } from '../support/model/fake-anthropic-turn.js';
import { FakeAnthropic } from '../support/model/fake-anthropic.js';
import { sse, type FakeStep } from '../support/model/fake-model.js';
import { delta } from '../support/model/fake-openai-turn.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { describeHttpProvider } from './http-provider.contract.js';

const bytes = (step: FakeStep): string => sse(step as { data: unknown });

describeHttpProvider(OpenAiProvider.name, {
  startFake: () => FakeOpenAi.start(),
  create: (options) => new OpenAiProvider(options),
  errorBody: (message) => ({ error: { message, type: 'x', code: null } }),
  textEvent: (content) => bytes(delta({ content })),
  variables: { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' },
});

describeHttpProvider(AnthropicProvider.name, {
  startFake: () => FakeAnthropic.start(),
  create: (options) => new AnthropicProvider(options),
  errorBody: (message) => ({ type: 'error', error: { type: 'x', message } }),
  textEvent: (text) => bytes(blockDelta(0, { type: 'text_delta', text })),
  variables: { key: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_BASE_URL' },
});
