import type { Word } from './script.js';
import type { SyntaxNode } from './shell-grammar.js';
import { Unreadable } from './script.js';

const UNKNOWN: Word = { text: '', dynamic: true, splits: true, odd: false };

/** The word of a node, as far as it is known before run time. */
export function readWord(node: SyntaxNode, source: string): Word {
  const text = source.slice(node.start, node.end);
  switch (node.type) {
    case 'command_name':
      return readWord(onlyChild(node), source);
    case 'word':
    case 'variable_name':
    case 'file_descriptor':
      return readBare(text);
    case 'number':
      return node.children.length > 0 ? UNKNOWN : plain(text);
    case 'raw_string':
      return plain(text.slice(1, -1));
    case 'ansi_c_string':
      return { ...plain(decodeAnsiC(text.slice(2, -1))), odd: true };
    case 'string':
      return readString(node, source);
    case 'concatenation':
      return readConcatenation(node, source);
    case 'simple_expansion':
    case 'expansion':
    case 'command_substitution':
    case 'arithmetic_expansion':
    case 'brace_expression':
    case 'extglob_pattern':
    case 'array':
      return UNKNOWN;
    case 'process_substitution':
      return { text: '/dev/fd/', dynamic: true, splits: false, odd: false };
    case 'variable_assignment':
      return readAssignment(node, source);
    default:
      throw new Unreadable(`has a construct that is not known (${node.type})`);
  }
}

function plain(text: string): Word {
  return { text, dynamic: false, splits: false, odd: false };
}

/** Reads text outside of quotes: escapes, globs, a bare `$`. */
function readBare(raw: string): Word {
  if (/^(?:[^\\]|\\.)*?(?:`|\$[({[])/s.test(raw))
    throw new Unreadable('has a substitution that can’t be told apart');
  const dynamicAt = /^(?:[^\\*?[]|\\.)*/s.exec(raw)?.[0].length ?? 0;
  const dynamic = dynamicAt < raw.length;
  const text = raw.slice(0, dynamicAt).replace(/\\(.)/gs, '$1');
  return { text, dynamic, splits: dynamic, odd: raw.includes('\\') };
}

function readString(node: SyntaxNode, source: string): Word {
  const content = source.slice(node.start + 1, node.end - 1);
  const first = node.children.find(({ type }) => type !== '"' && type !== 'string_content');
  const known = first ? source.slice(node.start + 1, first.start) : content;
  checkLeftover(node, source);
  const text = known.replace(/\\([$`"\\])/g, '$1');
  return {
    text,
    dynamic: first !== undefined,
    splits: /\$[@*]|\[[@*]\]/.test(content),
    odd: false,
  };
}

/**
 * Checks that the literal rest of a quoted text contains no expansion that the grammar has missed.
 */
export function checkLeftover(node: SyntaxNode, source: string): void {
  let leftover = '';
  let from = node.start;
  for (const child of node.children) {
    if (!child.named || child.type === 'string_content' || child.type === 'heredoc_content')
      continue;
    leftover += `${source.slice(from, child.start)} `;
    from = child.end;
  }
  leftover += source.slice(from, node.end);
  const bare = leftover.replace(/\\./gs, '');
  if (/`|\$[({[]/.test(bare) || (node.type === 'string' && !/^"[^"]*"$/.test(bare)))
    throw new Unreadable('has a text or a substitution that can’t be told apart');
}

function readConcatenation(node: SyntaxNode, source: string): Word {
  const words = node.children.map((child) => readWord(child, source));
  const bare = node.children.filter(({ type }) => type === 'word');
  const hasBraces = /\{.*(?:,|\.\.).*\}/s.test(bare.map((w) => slice(w, source)).join(''));
  if (hasBraces) return { ...UNKNOWN, text: slice(node, source).match(/^[\w./=:@%+,-]*/)![0] };
  return joinWords(words, node.children.some(isQuoted));
}

function joinWords(words: readonly Word[], quoted: boolean): Word {
  const first = words.findIndex(({ dynamic }) => dynamic);
  const known = first < 0 ? words : words.slice(0, first + 1);
  return {
    text: known.map(({ text }) => text).join(''),
    dynamic: first >= 0,
    splits: words.some(({ splits }) => splits),
    odd: quoted || words.some(({ odd }) => odd),
  };
}

function readAssignment(node: SyntaxNode, source: string): Word {
  const value = node.children.at(-1);
  const named = slice(node, source).slice(0, (value?.start ?? node.end) - node.start);
  const isNamed = value !== undefined && value.named && value.field === 'value';
  if (!isNamed) return plain(slice(node, source));
  const word = readWord(value, source);
  return { ...word, text: named + word.text };
}

function isQuoted({ type }: SyntaxNode): boolean {
  return type === 'string' || type === 'raw_string' || type === 'ansi_c_string';
}

function onlyChild({ children }: SyntaxNode): SyntaxNode {
  const [child] = children;
  if (!child || children.length > 1) throw new Unreadable('has a name that can’t be told');
  return child;
}

function slice(node: SyntaxNode, source: string): string {
  return source.slice(node.start, node.end);
}

const ESCAPE = /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|U([\da-f]{1,8})|([0-7]{1,3})|c(.)|(.))/gis;

const NAMED: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
};

/** Decodes the content of `$'…'`. */
function decodeAnsiC(content: string): string {
  return content.replace(ESCAPE, (_, x?: string, u?: string, U?: string, ...rest: unknown[]) => {
    const [octal, control, other] = rest as (string | undefined)[];
    const hex = x ?? u ?? U;
    if (hex !== undefined) return toCharacter(parseInt(hex, 16));
    if (octal !== undefined) return toCharacter(parseInt(octal, 8) & 0xff);
    if (control !== undefined) return toCharacter(control.charCodeAt(0) & 0x1f);
    return NAMED[other ?? ''] ?? other ?? '';
  });
}

function toCharacter(code: number): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\ufffd';
}
