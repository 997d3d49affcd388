import type { Word } from '../script.js';
import { PLACEHOLDER } from './wrappers.js';
import type { Wrapper } from './wrappers.js';

/** The command that a wrapper runs. */
export interface Unwrapped {
  /** Index of the command's name in the wrapper's words. */
  readonly at: number;
  readonly words: readonly Word[];
  /** True if it sets or removes variables. */
  readonly assigns: boolean;
}

const APPENDED: Word = { text: '', dynamic: true, splits: true };
/** A time. */
const OPERAND = /^[\d.]+[smhd]?$/;
const ASSIGNMENT = /^\w+=/;

/**
 * Unwraps a wrapper; `none` if it runs no command, `inexact` if the start of the command can't be
 * determined.
 */
export function unwrap(words: readonly Word[], wrapper: Wrapper): Unwrapped | 'none' | 'inexact' {
  const options = readOptions(words, wrapper);
  if (!options) return 'inexact';
  let at = options.next + (wrapper.operands ?? 0);
  if (words.slice(0, at).some(({ dynamic }) => dynamic)) return 'inexact';
  if (!words.slice(options.next, at).every(({ text }) => OPERAND.test(text))) return 'inexact';
  const start = at;
  while (wrapper.assignments && ASSIGNMENT.test(words[at]?.text ?? '')) at++;
  if (at >= words.length) return 'none';
  const inner = words.slice(at).map((word) => replaceIn(word, options.replaced));
  return {
    at,
    assigns: at > start || (wrapper.removes === true && options.next > 1),
    words: options.appends ? [...inner, APPENDED] : inner,
  };
}

interface Options {
  /** Index of the first word that is not an option. */
  readonly next: number;
  readonly replaced?: string;
  /** True if arguments may be added that are not known before run time. */
  readonly appends: boolean;
}

function readOptions(words: readonly Word[], wrapper: Wrapper): Options | undefined {
  let replaced: string | undefined;
  let isLimited = false;
  const upTo = (next: number): Options => {
    const appends = wrapper.appends === true && (replaced === undefined || isLimited);
    return { next, appends, ...(replaced !== undefined && { replaced }) };
  };
  let at = 1;
  while (at < words.length) {
    const { text, dynamic } = words[at]!;
    if (dynamic && (text === '' || text.startsWith('-'))) return undefined;
    if (text === '--' && !wrapper.bare) return upTo(at + 1);
    if (text === '-' && wrapper.flags.includes('-')) {
      at++;
      continue;
    }
    if (!/^-./.test(text)) break;
    const option = readOption(text, wrapper);
    if (!option) return undefined;
    const value = option.takes === 'next' ? words[at + 1] : undefined;
    if (option.takes === 'next' && (!value || value.dynamic)) return undefined;
    if (option.replaces) replaced = (value?.text ?? option.attached) || undefined;
    isLimited ||= wrapper.limits?.includes(option.name) ?? false;
    at += option.takes === 'next' ? 2 : 1;
  }
  return upTo(at);
}

interface Option {
  /** A letter, or a long name. */
  readonly name: string;
  /** `next` if the value of the option is the next word. */
  readonly takes: 'nothing' | 'next';
  readonly attached?: string;
  readonly replaces: boolean;
}

function readOption(text: string, wrapper: Wrapper): Option | undefined {
  return text.startsWith('--') ? readLong(text.slice(2), wrapper) : readShort(text, wrapper);
}

function readLong(
  text: string,
  { flags, values, replaces = [], optional = [] }: Wrapper,
): Option | undefined {
  const [name = '', attached] = text.split(/=(.*)/s);
  const isReplaced = replaces.includes(name);
  if (optional.includes(name))
    return {
      ...{ name, attached: attached || PLACEHOLDER },
      ...{ takes: 'nothing' as const, replaces: isReplaced },
    };
  const isValue = values.includes(name) || isReplaced;
  if (isValue ? attached === '' : attached !== undefined || !flags.includes(name)) return undefined;
  const takes = isValue && attached === undefined ? 'next' : 'nothing';
  return { name, takes, replaces: isReplaced, ...(attached && { attached }) } as const;
}

/** Reads short options: `-it`, `-n5`, and `-10` of `nice`. */
function readShort(text: string, { flags, values, replaces = [] }: Wrapper): Option | undefined {
  if (/^-\d+$/.test(text) && values.includes('n'))
    return { name: 'n', takes: 'nothing', replaces: false };
  for (let i = 1; i < text.length; i++) {
    const letter = text[i]!;
    const isReplaced = replaces.includes(letter);
    if (values.includes(letter) || isReplaced) {
      const attached = text.slice(i + 1);
      const takes = attached === '' ? 'next' : 'nothing';
      return { name: letter, takes, attached, replaces: isReplaced };
    }
    if (!flags.includes(letter)) return undefined;
  }
  return { name: text.slice(-1), takes: 'nothing', replaces: false };
}

function replaceIn(word: Word, replaced: string | undefined): Word {
  if (replaced === undefined || !word.text.includes(replaced)) return word;
  return { ...word, text: word.text.slice(0, word.text.indexOf(replaced)), dynamic: true };
}
