import { TooLong } from './reading-budget.js';
import type { CommandPart, ScriptPart, Word } from './script.js';
import { Unreadable } from './script.js';

/**
 * Parses a script inside a script.
 * @throws Unreadable
 */
export type ReadInner = (text: string) => ScriptPart[];

/** A simple command of a script. */
export interface Command {
  readonly source: string;
  readonly words: readonly Word[];
  /** Texts that it reads on standard input, as far as they are known. */
  readonly inputs: readonly string[];
  readonly doubt?: string;
  /** Number of commands that run it, one within the other. */
  readonly depth?: number;
}

/** Maximum nesting of commands: `timeout 5 nice git log` is 2. */
const MAX_DEPTH = 10;

/**
 * A command that another one runs.
 * @throws Unreadable
 */
export function within(command: Command, inner: Partial<Command>): Command {
  const depth = (command.depth ?? 0) + 1;
  if (depth > MAX_DEPTH) throw new Unreadable('nests commands too deeply');
  return { ...command, ...inner, depth };
}

const MAX_SHADOWS = 20;

/** The command itself, without the commands that it runs. */
export function part(command: Command, more: Partial<CommandPart> = {}): CommandPart {
  const { source, words, doubt } = command;
  return {
    kind: 'command',
    source,
    words,
    must_name: 1,
    whole: false,
    unlisted: false,
    opaque: false,
    shadow: false,
    ...more,
    ...(doubt !== undefined && { doubt }),
  };
}

export function asShadows(parts: readonly ScriptPart[]): ScriptPart[] {
  return parts.map((p) => (p.kind === 'command' ? { ...p, shadow: true } : p));
}

/**
 * Everything in the arguments that could be a command: the rest of the words from each word on, and
 * words that are scripts.
 */
export function shadowsOf(command: Command, readInner: ReadInner): ScriptPart[] {
  const shadows: ScriptPart[] = [];
  for (let at = 1; at < Math.min(command.words.length, MAX_SHADOWS); at++) {
    const words = command.words.slice(at);
    shadows.push(part({ ...command, words }, { shadow: true }));
    if (/\s/.test(words[0]!.text)) shadows.push(...tryInner(words[0]!.text, readInner));
  }
  if (command.words.length > MAX_SHADOWS)
    shadows.push(part(command, { shadow: true, opaque: true }));
  for (const input of command.inputs) shadows.push(...tryInner(input, readInner));
  return shadows;
}

function tryInner(text: string, readInner: ReadInner): ScriptPart[] {
  try {
    const parts = asShadows(readInner(text)).filter(({ kind }) => kind !== 'other');
    return parts.map((p) => (p.kind === 'file' ? { ...p, access: 'read' } : p));
  } catch (error) {
    if (error instanceof Unreadable && !(error instanceof TooLong)) return [];
    throw error;
  }
}

/** Adds a doubt to all commands that have none. */
export function withDoubt(parts: readonly ScriptPart[], doubt: string | undefined): ScriptPart[] {
  if (doubt === undefined) return [...parts];
  return parts.map((p) => (p.kind === 'command' ? { ...p, doubt: p.doubt ?? doubt } : p));
}
