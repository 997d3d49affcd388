import type { FakeStep } from '../support/model/fake-model.js';
import { messageSteps, wire } from '../support/model/fake-anthropic-turn.js';
import { delta, stepsOf } from '../support/model/fake-openai-turn.js';
import { some } from '../support/thoroughness.js';
import type { CpuCase } from './cpu-world.js';
import { VALUES, worstTexts } from './worst-shapes.js';

/** Characters that come in pieces of a few: as much JSON as whole texts of 1 MiB. */
const PIECED = 40_000;
/** Many deltas take many reads of the socket, and may take longer in all. */
const PIECED_TOTAL = 4_000;

type Answer = Readonly<Record<string, unknown>>;

/** Each kind of answer of each vendor with the worst texts and values. */
export function modelCases(): CpuCase[] {
  const texts = worstTexts();
  const args = [
    ...Object.entries(VALUES),
    ...texts.map(({ name, text }) => [name, JSON.stringify({ text })] as const),
  ];
  return [
    ...texts.flatMap(({ name, text }) => [
      ...both(`a text of ${name}`, { text, chunk_size: Infinity }),
      ...both(`thoughts of ${name}`, { thinking: text, text: 'Yes.', chunk_size: Infinity }),
      ...both(`an error of ${name}`, { status: 400, body: text }),
      ...both(`an error object of ${name}`, { status: 400, body: { error: { message: text } } }),
      ...both(`a stream of ${name}`, { steps: [{ raw: text.toWellFormed() }] }),
      ...both(`an event of ${name}`, { steps: [{ raw: `data: ${text.toWellFormed()}\n\n` }] }),
    ]),
    ...some(texts, 6).flatMap(({ name, text }) =>
      both(`a text in pieces of ${name}`, { text: text.slice(0, PIECED) }, PIECED_TOTAL),
    ),
    ...args.flatMap(([name, json]) => [
      ...both(`arguments of ${name}`, {
        calls: [{ name: 'odd', arguments: json }],
        chunk_size: Infinity,
      }),
      of('openai', `usage of ${name}`, {
        steps: [...stepsOf({ text: 'a' }, () => ''), raw(`{"choices":[],"usage":${json}}`)],
      }),
      of('openai', `a field of ${name}`, { steps: [raw(`{"odd":${json}}`)] }),
      of('openai', `JSON of ${name}`, { steps: [{ raw: `{"choices":${json}}` }] }),
      of('anthropic', `a block of ${name}`, {
        steps: [raw(`{"type":"content_block_start","index":0,"content_block":${json}}`)],
      }),
      of('anthropic', `usage of ${name}`, {
        steps: [raw(`{"type":"message_delta","delta":${json},"usage":${json}}`)],
      }),
    ]),
    ...['}', '{}', '{"a":1}', ' '].flatMap((piece) => [
      of('openai', `a call named again in each delta of ${piece}`, namedAgain(piece), PIECED_TOTAL),
      of('anthropic', `a call in deltas of ${piece}`, inDeltas(piece), PIECED_TOTAL),
    ]),
    ...Object.entries(repeated()).map(([name, steps]) =>
      of('openai', name, { steps }, PIECED_TOTAL),
    ),
  ];
}

function both(name: string, answer: Answer, total?: number): CpuCase[] {
  return [of('openai', name, answer, total), of('anthropic', name, answer, total)];
}

function of(vendor: 'openai' | 'anthropic', name: string, answer: Answer, total?: number): CpuCase {
  return {
    name: `${vendor}: ${name}`,
    ...(total !== undefined && { total }),
    run: async (world) => {
      const model = world[vendor];
      model.otherwise({ status: 400, headers: { 'x-should-retry': 'false' }, body: 'No.' });
      model.reply(answer);
      await world.say({ user_message: 'Hi.', model: `${vendor}/fake` });
      model.reset();
    },
  };
}

/** Answers of which each part may repeat all that came before it. */
function repeated(): Readonly<Record<string, readonly FakeStep[]>> {
  const many = (count: number, make: (n: number) => string): FakeStep[] =>
    Array.from({ length: count }, (_, n) => raw(make(n)));
  const said = (text: string): string => `{"choices":[{"message":{"content":"${text}"}}]}`;
  const call = (fields: string): string => `{"choices":[{"delta":{"tool_calls":[{${fields}}]}}]}`;
  const large = JSON.stringify(`{"a":[${'1.5,'.repeat(100_000)}1]}`);
  return {
    'parts of a message after a long one': [
      raw(said('a'.repeat(500_000))),
      ...many(10_000, () => said('b ')),
    ],
    'a message beside each delta': many(
      10_000,
      () => '{"choices":[{"delta":{"content":"aaaaaaaaaa"},"message":{"content":"b"}}]}',
    ),
    'a large call after calls without ids': [
      ...many(126, (n) => call(`"function":{"name":"f","arguments":"{\\"x\\":${n}}"}`)),
      raw(call(`"index":5,"id":"z","function":{"name":"f","arguments":${large}}`)),
    ],
    'a long list of thoughts': many(
      10_000,
      (n) =>
        `{"choices":[{"delta":{"content":"a","reasoning_details":[{"index":${n},"text":"b"}]}}]}`,
    ),
  };
}

function raw(json: string): FakeStep {
  return { raw: `data: ${json}\n\n` };
}

/** A server that repeats the id and the name of a call in each delta. */
function namedAgain(piece: string): Answer {
  const call = (text: string) => [
    { index: 0, id: 'c', function: { name: 'odd', arguments: text } },
  ];
  const begun = delta({ tool_calls: call('{"a":"') });
  const more = delta({ tool_calls: call(piece) });
  return { steps: [begun, ...Array.from({ length: PIECED / 2 }, () => more)] };
}

function inDeltas(piece: string): Answer {
  const input = { type: 'input_json_delta', partial_json: piece };
  const more = wire('content_block_delta', { index: 0, delta: input });
  const start = { index: 0, content_block: { type: 'tool_use', id: 'c', name: 'odd', input: {} } };
  const [begun] = messageSteps({}, () => 0);
  return {
    steps: [
      begun,
      wire('content_block_start', start),
      ...Array.from({ length: PIECED / 2 }, () => more),
    ],
  };
}
