import type { ChatBody } from './fake-model.js';
import type { FakeMessage } from './fake-anthropic-turn.js';
import type { FakeTurn } from './fake-openai-turn.js';
import { answerTo, type Capable } from './capable-model.js';
import { FakeVendor, StrictAnthropic } from './fake-vendor.js';
import { VENDORS, type VendorName } from './vendor-rules.js';

/** What a vendor's endpoint can do with a usual model, and how it says that a text is too long. */
interface CapableVendor extends Omit<Capable, 'too_long'> {
  readonly rules: VendorName;
  readonly too_long: string;
}

const SIGNED = { extra_content: { google: { thought_signature: 'c2ln' } } };

const CAPABLE = {
  openai: {
    ...{ rules: 'openai', thinking: true },
    too_long:
      "This model's maximum context length is 400000 tokens. However, your messages resulted in 1500000 tokens.",
  },
  deepseek: {
    ...{ rules: 'deepseek', thinks_in: 'reasoning_content', images: true },
    too_long:
      "This model's maximum context length is 131072 tokens. However, you requested 1500016 tokens.",
  },
  kimi: {
    ...{ rules: 'kimi', thinks_in: 'reasoning_content' },
    too_long: 'Invalid request: Your request exceeded model token limit: 262144',
  },
  gemini: {
    ...{ rules: 'gemini', signed: SIGNED, thinking: true },
    too_long:
      'The input token count (1500000) exceeds the maximum number of tokens allowed (1048576).',
  },
  mistral: {
    ...{ rules: 'mistral', thinking: true },
    too_long:
      'Prompt contains 1500000 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
  },
  groq: {
    ...{ rules: 'groq', thinks_in: 'reasoning', images: true },
    too_long: 'Please reduce the length of the messages or completion.',
  },
  vllm: {
    ...{ rules: 'template', thinks_in: 'reasoning', images: true },
    too_long:
      'The decoder prompt (length 1500000) is longer than the maximum model length of 32768.',
  },
  ollama: {
    ...{ rules: 'local', limit: true, images: true, parallel: true, thinking: true },
    too_long: 'it cuts what is too long',
  },
} as const satisfies Record<string, CapableVendor>;

/** `anthropic_dressed`: an endpoint with Anthropic's API that takes fewer options. */
export type CapableVendorName = keyof typeof CAPABLE | 'anthropic' | 'anthropic_dressed';

/** An endpoint with the demands of a vendor and a model that does what the checks ask for. */
export async function startCapableVendor(
  name: CapableVendorName,
): Promise<FakeVendor | StrictAnthropic> {
  if (name === 'anthropic' || name === 'anthropic_dressed')
    return startCapableAnthropic(name === 'anthropic_dressed');
  const { rules, too_long, ...capable } = CAPABLE[name] as CapableVendor;
  const fake = await FakeVendor.open(rules);
  const refusal = { status: 400, body: VENDORS[rules].refusal(too_long) };
  fake.otherwise((body) => answerTo(body, { ...capable, too_long: refusal }));
  return fake;
}

async function startCapableAnthropic(isDressed: boolean): Promise<StrictAnthropic> {
  const fake = await StrictAnthropic.open();
  fake.otherwise((body) => {
    const option = ['output_config', 'thinking'].find((each) => body[each] !== undefined);
    if (isDressed && option) {
      fake.refused.push(option);
      return refused(`${option}: Extra inputs are not permitted`);
    }
    const turn = answerTo(asChat(body), {
      too_long: refused('prompt is too long: 1500000 tokens > 200000 maximum'),
    });
    return asMessage(turn);
  });
  return fake;
}

function refused(message: string) {
  const error = { type: 'invalid_request_error', message };
  return { status: 400, body: { type: 'error', error } };
}

function asChat({ system, messages, tools, thinking, output_config }: ChatBody): ChatBody {
  const chat = messages.map(({ role, content }: ChatBody) => {
    const [first] = content;
    if (first.type === 'tool_result') return { role: 'tool', content: first.content };
    return { role, content: first.type === 'text' ? first.text : content };
  });
  return {
    messages: [...(system ? [{ role: 'system', content: JSON.stringify(system) }] : []), ...chat],
    ...(tools && { tools }),
    ...(thinking && { reasoning_effort: 'low' }),
    ...(output_config?.format && { response_format: output_config.format }),
  };
}

function asMessage({ status, body, thinking, text, calls }: FakeTurn): FakeMessage {
  if (status !== undefined && body !== undefined) return { status, body };
  return { ...(thinking && { thinking }), ...(text && { text }), ...(calls && { calls }) };
}
