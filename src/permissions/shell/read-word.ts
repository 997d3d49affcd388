import type { Word } from './script.js';
import type { SyntaxNode } from './shell-grammar.js';
import { Unreadable } from './script.js';

const UNKNOWN: Word = { text: '', dynamic: true, splits: true };
/** A text in quotes that shells decode in different ways. */
const UNDECODED: Word = { text: '', dynamic: true, splits: false };

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
      return readAnsiC(text.slice(2, -1));
    case 'translated_string':
      return UNDECODED; // `sh` reads a `$` and a text in quotes
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
      return { text: '/dev/fd/', dynamic: true, splits: false };
    case 'variable_assignment':
      return readAssignment(node, source);
    default:
      throw new Unreadable(`has a construct that is not known (${node.type})`);
  }
}

function plain(text: string): Word {
  return { text, dynamic: false, splits: false };
}

/** Reads text outside of quotes: escapes, globs, a bare `$`. */
function readBare(raw: string): Word {
  if (/^(?:[^\\]|\\.)*?(?:`|\$[({[])/s.test(raw))
    throw new Unreadable('has a substitution that can’t be told apart');
  const dynamicAt = /^(?:[^\\*?[]|\\.)*/s.exec(raw)?.[0].length ?? 0;
  const dynamic = dynamicAt < raw.length;
  const text = raw.slice(0, dynamicAt).replace(/\\(.)/gs, '$1');
  return { text, dynamic, splits: dynamic, ...(dynamic && { pattern: raw }) };
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
  if (mayExpand(bare.map((word) => slice(word, source)).join('')))
    return { ...UNKNOWN, text: slice(node, source).match(/^[\w./=:@%+,-]*/)![0] };
  return joinWords(words);
}

/** True if the text can have braces that a shell expands: `{a,b}`, `{1..3}`. */
function mayExpand(text: string): boolean {
  const open = text.indexOf('{');
  const close = text.lastIndexOf('}');
  if (open < 0 || close < open) return false;
  const inside = text.slice(open, close);
  return inside.includes(',') || inside.includes('..');
}

function joinWords(words: readonly Word[]): Word {
  const first = words.findIndex(({ dynamic }) => dynamic);
  const known = first < 0 ? words : words.slice(0, first + 1);
  const isPattern = first >= 0 && words.every(({ dynamic, pattern }) => !dynamic || pattern);
  return {
    text: known.map(({ text }) => text).join(''),
    dynamic: first >= 0,
    splits: words.some(({ splits }) => splits),
    ...(isPattern && { pattern: words.map(({ text, pattern }) => pattern ?? text).join('') }),
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

function onlyChild({ children }: SyntaxNode): SyntaxNode {
  const [child] = children;
  if (!child || children.length > 1) throw new Unreadable('has a name that can’t be told');
  return child;
}

function slice(node: SyntaxNode, source: string): string {
  return source.slice(node.start, node.end);
}

/** The escapes of `$'…'` that mean the same everywhere. */
const ESCAPE = /\\(?:([\\'"])|n|t|x([2-7][\dA-Fa-f])|([01][0-7]{2}))/g;

/** Reads the content of `$'…'`, if it is certain what it means. */
function readAnsiC(content: string): Word {
  if (content.replace(ESCAPE, '').includes('\\')) return UNDECODED;
  const text = content.replace(ESCAPE, (escape, same?: string, hex?: string, octal?: string) => {
    if (same !== undefined) return same;
    if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16));
    if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8));
    return escape === '\\n' ? '\n' : '\t';
  });
  return PRINTABLE.test(text) ? plain(text) : UNDECODED;
}

const PRINTABLE = /^[\n\t\x20-\x7e]*$/;
