import type { Message, ToolCall } from '../../protocol/message.js';
import { ModelError } from '../model-error.js';
import type { ModelRequest } from '../model-provider.js';
import { cutText } from '../../kernel/text/cut-text.js';

/** A tool call that the script makes. */
export interface DemoCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A model turn of the script. */
export interface DemoTurn {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly DemoCall[];
  /** Factor on the default delay between words. */
  readonly slowness?: number;
}

/** Longer messages are truncated to this length before they are matched. */
const MAX_MESSAGE = 2_000;
// regex: of at most `MAX_MESSAGE` characters
const ARITHMETIC = /[\d(](?:[\d\s.()]*[-+*/^%])+[\d\s.()]*[\d)]/;
const DATE = /\b\d{4}-\d{2}-\d{2}\b/g;
const TIME = /\b(what time|the time|time is it|what date|what day|today)\b/i;
/** `call bash {"command": "ls"}`; without an object, with no arguments. */
// regex: of at most `MAX_MESSAGE` characters
const CALL = /^\s*call\s+([\w.-]{1,64})\s*(\{.*\})?\s*$/is;
// regex: of at most `MAX_MESSAGE` characters
const RUN = /\brun\s*:?\s*`([^`]+)`|\brun:\s*(.+)/is;
const ASK = /\bask me\b[\s,]*([^:]*)(?::\s*(.*))?/is;
const LONG = /\blong (?:answer|text|story)\b|\b\d{1,9} words\b/i;
const WORDS = /\b(\d{1,9}) words\b/i;
const DEFAULT_WORDS = 400;
const MAX_WORDS = 20_000;
const SLOWNESS = 25;

/** How the server tells a model that a call was refused. */
const NOT_RUN =
  /^(?:This call (?:is not allowed|did not run)|The user rejected this call|Nobody answered in time whether this call)/;

const SLOW_ANSWER =
  'This answer takes its time, so that you can watch the stream, leave it and come back, or cancel it before it ends.';
const PARAGRAPH = [
  'This is a long answer without any thought behind it.',
  'It exists so that you can watch text arrive a word at a time.',
  'Close the connection in the middle, and open it again with the last id that you saw.',
  'You will get exactly the rest, and nothing twice.',
  'You may also cancel it: what was written by then stays.',
]
  .join(' ')
  .split(' ');

const THOUGHTS: Readonly<Record<string, string>> = {
  calculator: 'This is arithmetic. The calculator is better at it than I am.',
  current_time: 'Only a clock knows the time.',
  ask_human: 'Only the human knows that.',
  bash: 'This needs a command on the machine.',
};

/** Example sentences that the script understands, with the tools that each needs. */
const EXAMPLES: readonly (readonly [sentence: string, ...tools: string[]])[] = [
  ['what is 6*7', 'calculator'],
  ['what time is it in Tokyo', 'current_time'],
  ['what is 12 * 9 + 3, and what time is it', 'calculator', 'current_time'],
  ['ask me which colour I like: red, green or blue', 'ask_human'],
  ['run `ls -la`', 'bash'],
  ['write a long answer'],
  ['write 2000 words'],
  ['slow'],
  ['fail'],
];

/**
 * The script's next turn; a pure function of the request.
 * @throws ModelError when the last message is `fail`, or the request has a schema
 */
export function demoTurn({ messages, tools, tool_choice, schema }: ModelRequest): DemoTurn {
  if (schema) throw refusal('The demo model does not support schemas. Choose a real model.');
  const start = messages.findLastIndex(({ role }) => role === 'user');
  const results = describeResults(messages.slice(start + 1));
  if (results !== '') return { text: results };
  const offered = new Set(tool_choice === 'none' ? [] : tools?.map(({ name }) => name));
  const message = cutText(ownWords(messages[start]?.content ?? ''), MAX_MESSAGE);
  return reply(message, offered) ?? { text: describeNotes(messages) ?? introduction(offered) };
}

/** The message without the files that follow: their texts give no orders. */
function ownWords(message: string): string {
  return message.split('\n\n[File ', 1)[0] ?? '';
}

/** Undefined: the script does not understand it. */
function reply(message: string, offered: ReadonlySet<string>): DemoTurn | undefined {
  if (/^\s*fail\b/i.test(message)) throw refusal('The demo model failed, as it was told to.');
  if (/^\s*slow\b/i.test(message)) return { text: SLOW_ANSWER, slowness: SLOWNESS };
  const named = CALL.exec(message);
  if (named) return namedCall(named, offered);
  if (LONG.test(message)) {
    const words = Number(WORDS.exec(message)?.[1] ?? DEFAULT_WORDS);
    return longAnswer(Math.min(words, MAX_WORDS));
  }
  const wanted = callsFor(message);
  if (wanted.length === 0) return undefined;
  const calls = wanted.filter(({ name }) => offered.has(name));
  const missing = wanted.filter(({ name }) => !offered.has(name)).map(({ name }) => name);
  return {
    ...(calls.length > 0 && { calls, thinking: calls.map((c) => THOUGHTS[c.name]).join(' ') }),
    ...(missing.length > 0 && {
      text: `That takes ${missing.join(' and ')}, which I am not offered here.`,
    }),
  };
}

/** Any tool that is offered, with what the message says: the server checks the arguments. */
function namedCall(
  [, name = '', json = '{}']: readonly (string | undefined)[],
  offered: ReadonlySet<string>,
): DemoTurn {
  if (!offered.has(name))
    return {
      text: `I am not offered a tool ${name} here. These are: ${[...offered].toSorted().join(', ') || 'none'}.`,
    };
  try {
    const input = JSON.parse(json) as DemoCall['arguments'];
    return { thinking: `I was told to call ${name}.`, calls: [{ name, arguments: input }] };
  } catch {
    return {
      text: `The arguments of ${name} are not JSON. Say \`call ${name} {"key": "value"}\`.`,
    };
  }
}

function callExample(offered: ReadonlySet<string>): string {
  return offered.has('calculator')
    ? 'call calculator {"expression": "6*7"}'
    : `call ${[...offered].toSorted()[0]} {}`;
}

function callsFor(message: string): DemoCall[] {
  const command = RUN.exec(message);
  if (command)
    return [{ name: 'bash', arguments: { command: (command[1] ?? command[2]!).trim() } }];
  const question = ASK.exec(message);
  if (question) return [{ name: 'ask_human', arguments: questionOf(question) }];
  const calls: DemoCall[] = [];
  const expression = ARITHMETIC.exec(message.replace(DATE, ';'))?.[0];
  if (expression) calls.push({ name: 'calculator', arguments: { expression } });
  if (TIME.test(message)) calls.push({ name: 'current_time', arguments: timezoneOf(message) });
  return calls;
}

/** Parses `ask me which colour I like: red, green or blue` into a question with options. */
function questionOf([, subject = '', list]: readonly (
  string | undefined
)[]): DemoCall['arguments'] {
  // regex: of at most `MAX_MESSAGE` characters
  const turned = subject
    .replace(/[.?!]+\s*$/, '')
    .replace(/\bI\b/, 'do you')
    .replace(/\bmy\b/gi, 'your');
  const question = turned === '' ? 'What would you like to do next' : turned;
  // regex: of at most `MAX_MESSAGE` characters
  const options = list?.replace(/[.?!]+$/, '').split(/,\s*|\s+or\s+/);
  return {
    question: `${question[0]!.toUpperCase()}${question.slice(1)}?`,
    ...(options && options.length > 1 && { options }),
  };
}

/** The time zone in a message, as `Asia/Tokyo` or as the name of a city. */
function timezoneOf(message: string): DemoCall['arguments'] {
  const words = ` ${message.toLowerCase().replace(/[^a-z/_+-]+/g, ' ')} `;
  if (words.includes(' utc ')) return { timezone: 'UTC' };
  const timezone = Intl.supportedValuesOf('timeZone').find((zone) => {
    const city = zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
    return [zone, `in ${city}`].some((name) => words.includes(` ${name.toLowerCase()} `));
  });
  return timezone === undefined ? {} : { timezone };
}

function introduction(offered: ReadonlySet<string>): string {
  const all = [...offered].toSorted().join(', ');
  const possible = EXAMPLES.filter(([, ...tools]) => tools.every((tool) => offered.has(tool)));
  return [
    'Hello! I am a script, not a language model: I understand a few sentences and make up nothing.',
    'To talk to a real model, set OPENAI_API_KEY, or OPENAI_BASE_URL for one of your own. Until then, try one of these:',
    possible.map(([sentence]) => `- ${sentence}`).join('\n'),
    ...(all === ''
      ? []
      : [
          `With \`call <tool> {json}\` I call any tool that I am offered, such as \`${callExample(offered)}\`. Here that is: ${all}.`,
        ]),
  ].join('\n\n');
}

/** An answer of exactly this many words, in paragraphs. */
function longAnswer(words: number): DemoTurn {
  const { length } = PARAGRAPH;
  const text = Array.from(
    { length: words },
    (_, n) => PARAGRAPH[n % length]! + ((n + 1) % length === 0 ? '\n\n' : ' '),
  );
  return { thinking: `${words} words, then.`, text: text.join('').trim() };
}

/** An answer to notes that came while tools ran: their results, and the notes. */
function describeNotes(messages: readonly Message[]): string | undefined {
  const end = messages.findLastIndex(({ role }) => role !== 'user');
  if (messages[end]?.role !== 'tool') return undefined;
  const before = messages.slice(0, end + 1);
  const start = before.findLastIndex(({ role }) => role === 'user');
  const notes = messages.slice(end + 1).map(({ content }) => `You told me meanwhile: ${content}`);
  return [describeResults(before.slice(start + 1)), ...notes].join('\n\n');
}

/** A sentence for each tool result after the last user message; empty if there is none. */
function describeResults(messages: readonly Message[]): string {
  const calls = messages.flatMap((m) => (m.role === 'assistant' ? (m.tool_calls ?? []) : []));
  return messages
    .flatMap((m) => {
      const call = m.role === 'tool' && calls.find(({ id }) => id === m.tool_call_id);
      return call ? [describeResult(call, m.content.trim())] : [];
    })
    .join('\n\n');
}

function describeResult({ function: { name, arguments: json } }: ToolCall, result: string): string {
  const input = JSON.parse(json) as DemoCall['arguments'];
  if (name === 'calculator' && /^-?\d/.test(result))
    return `${String(input.expression)} = ${result}`;
  if (name === 'current_time' && /^\d/.test(result)) return `It is ${result}.`;
  if (NOT_RUN.test(result)) return `I did not call ${name}: ${result}`;
  if (name === 'bash')
    return `I ran \`${String(input.command)}\`. It says:\n\n${codeBlock(result)}`;
  // Refusals stand before the board.
  const added = name === 'todo' && result.startsWith('The board, ') ? countNew(input) : 0;
  if (added > 0) return `I put ${added} ${added === 1 ? 'task' : 'tasks'} on the board.`;
  return `${name} says: ${result}`;
}

/** How many tasks a call of `todo` adds; 0 if it does anything else. */
function countNew(input: DemoCall['arguments']): number {
  const tasks = input['tasks'] as readonly { readonly id?: string; readonly remove?: boolean }[];
  return tasks.every(({ id, remove }) => id === undefined && !remove) ? tasks.length : 0;
}

/** The fence is longer than any in the text. */
function codeBlock(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(runs.reduce((most, { length }) => Math.max(most, length + 1), 3));
  return `${fence}\n${text}\n${fence}`;
}

function refusal(message: string): ModelError {
  return new ModelError('model_refused', message, { retryable: false });
}
