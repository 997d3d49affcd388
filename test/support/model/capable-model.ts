import { Gate } from '../gate.js';
import type { ChatBody } from './fake-model.js';
import { FakeOpenAi } from './fake-openai.js';
import type { FakeCall, FakeTurn } from './fake-openai-turn.js';

/** What an endpoint that `npm run models -- check` looks at can't do. */
export interface Lacks {
  readonly tools?: true;
  readonly parallel?: true;
  readonly images?: true;
  readonly schema?: true;
  readonly usage?: true;
  readonly thinking?: true;
  /** Writes an odd text as it reads, and forgets to escape it. */
  readonly escaping?: true;
  /** It takes a text of any length. */
  readonly limit?: true;
}

/** An endpoint, in what it does besides. */
export interface Capable extends Lacks {
  /** It thinks whether it is asked to or not, in this field. */
  readonly thinks_in?: string;
  /** Members of the first call of a turn. */
  readonly signed?: object;
  /** Its answer to a text that is too long. */
  readonly too_long?: FakeTurn;
}

/** In characters. */
const CONTEXT_LIMIT = 500_000;
const TOO_LONG: FakeTurn = {
  status: 400,
  body: {
    error: {
      message: "This model's maximum context length is 128000 tokens.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  },
};

/** An endpoint with a model that does what the checks ask for, except for what it lacks. */
export async function startCapableModel(lacks: Lacks = {}): Promise<FakeOpenAi> {
  const fake = await FakeOpenAi.start();
  fake.otherwise((body) => ({ ...answerTo(body, lacks), ...(lacks.usage && { usage: null }) }));
  return fake;
}

/** What an endpoint answers to a request of a check. */
export function answerTo(body: ChatBody, lacks: Capable): FakeTurn {
  const messages = body['messages'] as readonly ChatBody[];
  const asked = textOf(messages.find(({ role }) => role === 'user')?.['content']);
  if (!lacks.limit && asked.length > CONTEXT_LIMIT) return lacks.too_long ?? TOO_LONG;
  const thinks = lacks.thinks_in !== undefined || (body['reasoning_effort'] && !lacks.thinking);
  const thinking_field = lacks.thinks_in ?? 'reasoning_content';
  const thinking = thinks ? { thinking: 'Hm. A tool.', thinking_field } : {};
  const result = messages.find(({ role }) => role === 'tool')?.['content'];
  if (result !== undefined)
    return { ...thinking, text: `${/ is (\w+)\./.exec(String(result))?.[1]}` };
  if (body['tools'] && !lacks.tools) return { ...thinking, calls: callsFor(asked, lacks) };
  return { ...thinking, ...saying(body, asked, lacks) };
}

function saying(body: ChatBody, asked: string, lacks: Capable): FakeTurn {
  if (asked.includes('from 1 to 3000')) return { text: ['one\ntwo\n', new Gate()] };
  const isFormed = body['response_format'] || textOf(body['messages']).includes('JSON only');
  if (isFormed && !lacks.schema) return { text: '{"colour":"red","is_warm":true}' };
  if (asked.includes('image'))
    return {
      text: lacks.images || !textOf(body['messages']).includes('base64') ? 'Blue.' : 'Red.',
    };
  return { text: 'PONG' };
}

function callsFor(asked: string, lacks: Capable): FakeCall[] {
  const odd = /^---\n([^]*)\n---$/m.exec(asked)?.[1];
  if (odd !== undefined) {
    const raw = `{"text": "${odd}"}`;
    const args = lacks.escaping ? raw : { text: odd };
    return [{ name: 'keep_text', arguments: args, more: lacks.signed ?? {} }];
  }
  const numbers = asked.includes('1, 2 and 3') ? [1, 2, 3] : [2];
  return numbers.slice(0, lacks.parallel ? 1 : 3).map((number, at) => ({
    ...{ name: 'word_for', arguments: { number }, more: at === 0 ? (lacks.signed ?? {}) : {} },
  }));
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}
