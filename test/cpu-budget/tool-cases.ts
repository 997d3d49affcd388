import type { CpuCase, CpuWorld } from './cpu-world.js';
import { VALUES, worstTexts } from './worst-shapes.js';
import type { WorstText } from './worst-shapes.js';

/** Several calls, each with a text of 1 MiB, may take longer in all. */
const CALLS_TOTAL = 4_000;
/** Deltas of many parts of an output. */
const MAX_TEXT = 1024 * 1024 - 4_096;

interface Schema {
  readonly type?: string;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
type Input = Readonly<Record<string, unknown>>;

/** A call of a model. */
interface Call {
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

/** Valid arguments of each built-in tool; one at a time gets another value. */
const INPUTS = {
  agent: { prompt: 'Go.', agent_type: 'react' },
  ask_human: { question: 'Why?', options: ['So.'] },
  bash: { command: 'true', timeout_ms: 1_000 },
  calculator: { expression: '1 + 1' },
  current_time: { timezone: 'UTC' },
  edit: { path: 'a.txt', old_string: 'a', new_string: 'b', replace_all: true },
  file_delete: { file_id: 'a' },
  file_import: { file_id: 'a', path: 'a.txt' },
  file_list: {},
  file_read: { file_id: 'a', offset: 1, limit: 1 },
  file_save: { path: 'a.txt', filename: 'a.txt' },
  glob: { pattern: '*', path: '.' },
  grep: { pattern: 'a', path: '.', glob: '*', ignore_case: true },
  python: { code: '1' },
  read: { path: 'a.txt', offset: 1, limit: 1 },
  todo: { tasks: [{ id: 'a', title: 'a', description: 'a', status: 'pending', version: 1 }] },
  write: { path: 'a.txt', content: 'a' },
} satisfies Readonly<Record<string, Input>>;

/** Calls that a person is asked about, with a description of what they would do. */
const ASKED: ReadonlySet<string> = new Set([
  ...['ask_human', 'bash', 'edit', 'file_delete', 'file_import', 'file_save', 'python', 'write'],
]);

/** Each argument of each built-in tool with each of the worst shapes, run and asked about. */
export async function argumentCases(world: CpuWorld): Promise<CpuCase[]> {
  const tools = await world.tools();
  return Object.entries(INPUTS).flatMap(([name, input]) =>
    argumentsOf(tools.get(name) as Schema, input).flatMap(({ field, values }) =>
      values.flatMap(([shape, json]) => {
        const call = { name, arguments: json };
        const about = `${name} ${field}: ${shape}`;
        return [
          ...(name === 'ask_human' ? [] : [calls(about, [call])]),
          ...(ASKED.has(name) ? [asked(`${about}, asked about`, call)] : []),
        ];
      }),
    ),
  );
}

interface Argument {
  readonly field: string;
  /** JSON of whole inputs, by the name of the shape. */
  readonly values: readonly (readonly [string, string])[];
}

function argumentsOf({ properties = {} }: Schema, input: Input): Argument[] {
  return Object.entries(properties).flatMap(([field, schema]) => {
    const { [field]: known, ...rest } = input;
    const others = JSON.stringify(rest).slice(1, -1);
    const wrap = (json: string): string =>
      `{${others && `${others},`}${JSON.stringify(field)}:${json}}`;
    const values = [...Object.entries(VALUES), ...texts(schema)].map(
      ([shape, json]) => [shape, wrap(json)] as const,
    );
    const item = schema.items;
    const inner = item ? argumentsOf({ properties: { item } }, {}) : [];
    const fields = item?.properties ? argumentsOf(item, (known as Input[])[0]!) : [];
    const inItems = [...inner.map(unwrapped), ...fields].map((each) => ({
      field: `${field}.${each.field}`,
      values: each.values.map(([shape, json]) => [shape, wrap(`[${json}]`)] as const),
    }));
    return [{ field, values }, ...inItems];
  });
}

/** The values of an item, without the object that holds it. */
function unwrapped({ field, values }: Argument): Argument {
  return { field, values: values.map(([shape, json]) => [shape, json.slice(8, -1)] as const) };
}

type Texts = readonly (readonly [string, string])[];

/** By their maximum length: many arguments share one. */
const known = new Map<number, Texts>();

/** Of 1 MiB, and as long as the tool takes. */
function texts({ type, maxLength = MAX_TEXT }: Schema): Texts {
  if (type !== 'string') return [];
  const made = known.get(maxLength) ?? makeTexts(maxLength);
  known.set(maxLength, made);
  return made;
}

function makeTexts(maxLength: number): Texts {
  const whole = maxLength < MAX_TEXT ? worstTexts().slice(0, 3) : worstTexts();
  const allowed = maxLength < MAX_TEXT ? worstTexts(maxLength) : [];
  return [
    ...whole.map(({ name, text }) => [name, JSON.stringify(text)] as const),
    ...allowed.map(({ name, text }) => [`allowed ${name}`, JSON.stringify(text)] as const),
  ];
}

/** Files with the worst texts, as each tool works with them. */
export function fileCases(): CpuCase[] {
  return worstTexts().flatMap(({ name, text: given, piece }: WorstText) => {
    const text = given.toWellFormed().replaceAll('\0', '0');
    const part = piece.toWellFormed().replaceAll('\0', '0');
    const path = 'a.txt';
    const write = call('write', { path, content: text });
    const edit = { path, old_string: 'not there', new_string: 'b', replace_all: false };
    const file = `a file of ${name}`;
    return [
      calls(`read: ${file}`, [write, call('read', { path })]),
      calls(`grep: ${file}`, [
        write,
        call('grep', { pattern: 'no|match' }),
        call('grep', { pattern: '.$' }),
      ]),
      calls(`edit: ${file}`, [
        write,
        call('edit', edit),
        call('edit', { ...edit, old_string: `${text.slice(0, 200_000)}no` }),
        call('edit', { ...edit, old_string: part }),
        call('edit', { ...edit, old_string: part, replace_all: true }),
        call('edit', { ...edit, old_string: text.slice(0, 400_000) }),
      ]),
      calls(`write: ${file}`, [
        write,
        call('write', { path, content: text.slice(0, 190_000) }),
        call('write', { path, content: `b${text.slice(0, 190_000)}b` }),
        call('write', { path, content: text.slice(0, 90_000).replaceAll(part, `${part}b`) }),
        call('write', { path, content: `b${text}b` }),
      ]),
      calls(`bash: ${file}`, [write, call('bash', { command: `cat ${path}` })]),
      calls(`python: ${file}`, [write, call('python', { code: `open('${path}').read()` })]),
    ];
  });
}

/** Calls of a tool of the client, whose schema has a pattern that backtracks. */
export function clientToolCases(): CpuCase[] {
  const text = { type: 'string', pattern: '^(a+)+$' };
  const input_schema = {
    type: 'object',
    properties: { text },
    patternProperties: { '^(a+)+$': {} },
  };
  const tool = { name: 'door', description: 'Opens.', input_schema };
  const long = `${'a'.repeat(MAX_TEXT)}!`;
  return [
    asked('door: a long text', call('door', { text: long }), { client_tools: [tool] }),
    asked('door: a long name', call('door', { [long]: 1 }), { client_tools: [tool] }),
  ];
}

function call(name: string, input: Input): Call {
  return {
    name,
    // Made when it is sent: all cases together have more than fits the memory.
    get arguments() {
      return JSON.stringify(input);
    },
  };
}

/** Calls of one interaction, one after the other. */
function calls(name: string, all: readonly Call[]): CpuCase {
  return {
    name,
    ...(all.length > 1 && { total: CALLS_TOTAL }),
    run: async (world) => {
      world.openai.reply(...all.map((each) => ({ calls: [each], chunk_size: Infinity })));
      await world.say({ user_message: 'Go.', approval_mode: 'auto' });
      world.openai.reset();
    },
  };
}

/** A call that waits for a person, and is cancelled. */
function asked(name: string, one: Call, more: object = {}): CpuCase {
  return {
    name,
    run: async (world) => {
      world.openai.reply({ calls: [one], chunk_size: Infinity });
      const path = `/chats/${world.newChat()}/interactions`;
      const body = JSON.stringify({ user_message: 'Go.', approval_mode: 'ask', ...more });
      const answer = await world.send('POST', `${path}?wait=true`, { body });
      const { id, status } = JSON.parse(answer) as { id: string; status: string };
      if (status.startsWith('WAITING')) await world.send('POST', `${path}/${id}/cancel`);
      world.openai.reset();
    },
  };
}
