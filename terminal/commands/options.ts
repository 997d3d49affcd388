import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import { drawDefinitions } from '../render/definitions.js';
import { span, wrap } from '../render/span.js';
import type { Line } from '../render/span.js';
import { UsageError } from './usage-error.js';

type Options = NonNullable<ParseArgsConfig['options']>;

const SERVER = { url: { type: 'string' }, key: { type: 'string' } } as const satisfies Options;
const JSON_OUTPUT = { json: { type: 'boolean' } } as const satisfies Options;

interface Spec {
  /** After the name of the command. */
  readonly usage: string;
  readonly about: string;
  readonly options: Options;
  readonly positionals: readonly [least: number, most: number];
}

export const COMMANDS = {
  chat: {
    usage:
      '["prompt"] [--chat ID | --continue] [--queue | --interrupt] [--agent NAME] [--model NAME] [--yes] [--json] [--speak] [--workspace DIR]',
    about: 'talk to an agent; with a prompt, or one on standard input, one answer',
    options: {
      ...SERVER,
      ...JSON_OUTPUT,
      chat: { type: 'string' },
      continue: { type: 'boolean' },
      queue: { type: 'boolean' },
      interrupt: { type: 'boolean' },
      agent: { type: 'string' },
      model: { type: 'string' },
      yes: { type: 'boolean' },
      speak: { type: 'boolean' },
      workspace: { type: 'string' },
    },
    positionals: [0, 1],
  },
  inbox: {
    usage: '[--json]',
    about: 'what waits for a person',
    options: { ...SERVER, ...JSON_OUTPUT },
    positionals: [0, 0],
  },
  approve: {
    usage: 'ID [--input JSON] [--remember session|agent|global] [--reason TEXT]',
    about: 'let a call run, also with other arguments',
    options: {
      ...SERVER,
      input: { type: 'string' },
      remember: { type: 'string' },
      reason: { type: 'string' },
    },
    positionals: [1, 1],
  },
  reject: {
    usage: 'ID [--reason TEXT] [--remember session|agent|global]',
    about: 'do not let it run; the model reads the reason',
    options: { ...SERVER, remember: { type: 'string' }, reason: { type: 'string' } },
    positionals: [1, 1],
  },
  answer: {
    usage: 'ID [TEXT]',
    about: 'answer a question; without a text, decline to',
    options: SERVER,
    positionals: [1, 2],
  },
  chats: {
    usage: '[SEARCH] [--json]',
    about: 'list chats, newest first',
    options: { ...SERVER, ...JSON_OUTPUT },
    positionals: [0, 1],
  },
  log: {
    usage: 'CHAT [--json]',
    about: 'print a chat; as JSON, its session log',
    options: { ...SERVER, ...JSON_OUTPUT },
    positionals: [1, 1],
  },
  watch: {
    usage: 'CHAT [--json]',
    about: 'follow a chat without taking part',
    options: { ...SERVER, ...JSON_OUTPUT },
    positionals: [1, 1],
  },
  open: {
    usage: '[CHAT]',
    about: 'the address of the console, and a QR code of it',
    options: SERVER,
    positionals: [0, 1],
  },
  doctor: {
    usage: '',
    about: 'check server, credential, store and model',
    options: SERVER,
    positionals: [0, 0],
  },
  demo: {
    usage: '',
    about: 'show a conversation with a server of its own; on a terminal, you decide and answer',
    options: {},
    positionals: [0, 0],
  },
  serve: {
    usage: '',
    about: 'run a server here, with the settings of the environment and .env',
    options: {},
    positionals: [0, 0],
  },
} as const satisfies Readonly<Record<string, Spec>>;

export type CommandName = keyof typeof COMMANDS;

/** All options of all commands; which of them a command takes is checked. */
export interface Values {
  readonly url?: string;
  readonly key?: string;
  readonly json?: boolean;
  readonly chat?: string;
  readonly continue?: boolean;
  readonly queue?: boolean;
  readonly interrupt?: boolean;
  readonly agent?: string;
  readonly model?: string;
  readonly yes?: boolean;
  readonly speak?: boolean;
  readonly workspace?: string;
  readonly input?: string;
  readonly remember?: string;
  readonly reason?: string;
}

export interface CommandLine {
  readonly name: CommandName;
  readonly values: Values;
  readonly positionals: readonly string[];
}

const SHARED = [
  {
    name: '--url URL',
    text: 'the server; else PARLEY_URL, else one on port 3000 of this machine, else one is started',
  },
  { name: '--key KEY', text: 'an API key or token; else PARLEY_KEY' },
  { name: '--version, --help', text: 'print the version, print this' },
];
const EXIT_CODES =
  'Exit codes: 0 completed, 1 failed, 2 wrong usage, 3 waits for a person, 130 cancelled.';

/** All commands, for a terminal or a text of that width. */
export function drawUsage(width: number): Line[] {
  const hang = (text: string, first: string, rest: string): Line[] =>
    wrap([span(text)], width, { first: [span(first)], rest: [span(rest)] });
  return [
    [span('Usage:')],
    ...Object.entries(COMMANDS).flatMap(([name, { usage, about }]) => [
      ...hang(`parley ${name} ${usage}`.trimEnd(), '  ', '      '),
      ...hang(about, '      ', '      '),
    ]),
    ...[[], ...hang('parley without a command is parley chat.', '', ''), []],
    ...drawDefinitions(SHARED, { width, sgr: '' }),
    ...[[], ...hang(EXIT_CODES, '', '')],
  ];
}

/** The command line; `help` and `version` are not for a command. @throws UsageError */
export function readCommandLine(args: readonly string[]): CommandLine | 'help' | 'version' {
  const [first, ...rest] = args;
  if (args.includes('--help') || args.includes('-h') || first === 'help') return 'help';
  if (first === '--version' || first === '-v') return 'version';
  const isNamed = first !== undefined && !first.startsWith('-');
  if (isNamed && !Object.hasOwn(COMMANDS, first))
    throw new UsageError(
      `There is no command ${JSON.stringify(first)}. A prompt goes after chat: parley chat "PROMPT"`,
    );
  const name = isNamed ? (first as CommandName) : 'chat';
  return { name, ...parse(name, isNamed ? rest : args) };
}

function parse(name: CommandName, args: readonly string[]): Omit<CommandLine, 'name'> {
  const { options, positionals: range, usage }: Spec = COMMANDS[name];
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [least, most] = range;
    if (positionals.length >= least && positionals.length <= most) return { values, positionals };
  } catch (error) {
    const message = (error as Error).message.split('. To specify', 1)[0];
    throw new UsageError(`${message}\nUsage: parley ${name} ${usage}`, { cause: error });
  }
  throw new UsageError(`Usage: parley ${name} ${usage}`);
}
