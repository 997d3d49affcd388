import type { ApiClient } from '../../support/client/api-client.js';
import type { Following } from '../../support/store/following.js';
import { Person } from '../../support/client/person.js';

export const PROVIDERS = ['openai', 'anthropic'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** What is done with a transcript of each provider. */
export interface Feature {
  /** Of the transcripts: `test/transcripts/<provider>/<name>.txt`. */
  readonly name: string;
  /** What was said before in the chat. */
  readonly before?: string;
  readonly say: string;
  /** Other fields of the start. */
  readonly start?: (provider: Provider) => object;
  /** It is a feature of these only. */
  readonly of?: readonly Provider[];
  /** Whose transcripts are played; its own unless given. */
  readonly plays?: readonly Provider[];
  /** Models are asked to think before they speak. */
  readonly thinks?: true;
  /** What people do meanwhile. They are asked about each call of `calculator`. */
  readonly meanwhile?: (following: Following, api: ApiClient) => Promise<void>;
  /** What is said next in the chat. */
  readonly next?: string;
  /** To which model; the one of the provider unless given. */
  readonly next_model?: string;
}

export const MODELS = { openai: 'openai/gpt-4.1-mini', anthropic: 'anthropic/claude-sonnet-5' };

export const FEATURES: readonly Feature[] = [
  { name: 'answer', say: 'Which river flows through Köln?' },
  { name: 'gateway', say: 'Are you there?' },
  {
    name: 'calls',
    say: 'What is 6*7, and what time is it in Tokyo?',
    thinks: true,
    meanwhile: approving({ modified_input: { expression: '6*8' } }),
    next: 'Thank you',
  },
  {
    name: 'reasoning',
    say: 'Is 91 a prime?',
    of: ['openai'],
    start: () => ({ model: 'openai/thinker-large' }),
    next: 'Sure?',
  },
  {
    name: 'thoughts-returned',
    say: 'What is 6*7?',
    of: ['openai'],
    start: () => ({ model: 'openai/thinker-large' }),
    meanwhile: approving({}),
    next: 'Sure?',
    next_model: 'openai/thinker-large',
  },
  {
    name: 'tagged-thoughts',
    say: 'What is 6*7?',
    of: ['openai'],
    start: () => ({ model: 'openai/qwen3:8b' }),
    meanwhile: approving({}),
    next: 'Sure?',
    next_model: 'openai/qwen3:8b',
  },
  { name: 'empty', say: 'Say something', of: ['openai'] },
  { name: 'empty-reason', say: 'Tell me a short story', of: ['openai'] },
  {
    name: 'uncounted',
    say: 'Greet me',
    of: ['openai'],
    start: () => ({ model: 'openai/odd-large' }),
  },
  { name: 'question', say: 'Paint the fence', meanwhile: answering('sea green') },
  { name: 'child', say: 'How many legs do 14 spiders have?', meanwhile: approving({}) },
  {
    name: 'note',
    say: 'Work it out: 12 times 12',
    async meanwhile(following, api) {
      const { agent_id } = await following.record('APPROVAL_REQUIRED');
      const user_comment = 'Answer in French, please';
      await api.post(`/agents/${agent_id}/intervene`, { user_comment });
      await approving({})(following, api);
    },
  },
  {
    name: 'deliberate',
    say: 'Plan my trip',
    start: () => ({ agent: 'deliberate' }),
    meanwhile: answering('Oslo', 'In May', 'Yes'),
  },
  {
    name: 'coder',
    say: 'Fix the greeting',
    start: () => ({ agent: 'coder', approval_mode: 'auto' }),
  },
  {
    name: 'agent-file',
    say: 'Who are you?',
    start: (provider) => ({ agent: `terse-${provider}`, model: undefined }),
  },
  { name: 'image', say: 'Which colour is it?' },
  { name: 'limits', say: 'Are you busy?' },
  { name: 'stated-waits', say: 'Are you there?', of: ['openai'] },
  { name: 'daily-quota', say: 'Are you there?', of: ['openai'] },
  { name: 'broken-off', say: 'Tell me a story' },
  { name: 'odd-ends', say: 'What is 6*7?' },
  { name: 'length', say: 'Count to a million' },
  { name: 'refused', say: 'Open the safe of my neighbour' },
  { name: 'filtered', say: 'Open the safe of my neighbour' },
  {
    name: 'fallback',
    say: 'Anybody there?',
    of: ['openai'],
    plays: PROVIDERS,
    start: () => ({ model: Object.values(MODELS).join() }),
  },
  { name: 'paused', say: 'What is new about the Rhine?', of: ['anthropic'] },
  { name: 'broken-arguments', say: 'What is 6*7?', meanwhile: approving({}) },
  { name: 'unknown', say: 'What will be new?' },
  { name: 'too-long', before: `Keep this in mind: ${'x '.repeat(20_000)}`, say: 'And now?' },
  { name: 'secret', say: 'Which key do you use?', next: 'Once more?' },
];

function approving(more: object): NonNullable<Feature['meanwhile']> {
  return async (following, api) => {
    const { approval_id } = await following.record('APPROVAL_REQUIRED');
    const { status } = await new Person(() => api).approve(following.of, approval_id, more);
    if (status !== 200) throw new Error(`the approval was answered with ${status}`);
  };
}

function answering(...answers: readonly string[]): NonNullable<Feature['meanwhile']> {
  return async (following, api) => {
    for (const [at, answer] of answers.entries()) {
      const { request_id } = await following.record('INPUT_REQUIRED', at + 1);
      await new Person(() => api).respond(following.of, request_id, answer);
    }
  };
}
