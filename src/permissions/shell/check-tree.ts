import { checkLeftover } from './read-word.js';
import type { SyntaxNode } from './shell-grammar.js';
import { Unreadable } from './script.js';

/** Text allowed between two nodes: blanks and line continuations. */
const GAP = /^(?:[ \t\n]|\\\n)*$/;
/** The same for nodes that a line break would end. */
const GAP_IN_LINE = /^(?:[ \t]|\\\n)*$/;
const IN_LINE = new Set([
  'command',
  'command_name',
  'declaration_command',
  'unset_command',
  'variable_assignments',
  'redirected_statement',
  'file_redirect',
  'herestring_redirect',
]);

/**
 * The expected text of each node type. The grammar and a shell do not always agree on the end of a
 * word or a quoted text.
 */
const SHAPES: Readonly<Record<string, RegExp>> = {
  word: /^(?:[^\s\\'"`;&|()<>]|\\[^\n])+$/,
  variable_name: /^\w+$/,
  number: /^[^\s;&|<>]+$/,
  file_descriptor: /^(?:\d+|-[A-Za-z\d]+)$/,
  raw_string: /^'[^']*'$/,
  ansi_c_string: /^\$'(?:[^'\\]|\\[\s\S])*'$/,
  comment: /^#[^\n]*$/,
  heredoc_start: /^\S+$/,
  regex: /^[^\n]*$/,
  extglob_pattern: /^[^\n;&]*$/,
  test_operator: /^-\w+$/,
  simple_expansion: /^\$(?:\w+|[*@?!#$-])$/,
};
/** Nodes that are a word by themselves. Two of them without a blank between are one word. */
const WORDS = new Set([
  ...['word', 'number', 'raw_string', 'string', 'ansi_c_string', 'translated_string', '$'],
  ...['concatenation', 'command_name', 'simple_expansion', 'expansion', 'command_substitution'],
  ...['process_substitution', 'arithmetic_expansion', 'brace_expression', 'extglob_pattern'],
  ...['variable_name', 'variable_assignment', 'array'],
]);
/** Nodes whose children are pieces of one word. */
const ONE_WORD = new Set([
  ...['concatenation', 'simple_expansion', 'translated_string', 'string', 'heredoc_body'],
  ...['regex', 'extglob_pattern'],
]);
/** Nodes that end with a word, besides these. */
const ENDS_WITH_WORD = new Set(['file_redirect', 'herestring_redirect']);
/** The grammar puts the blanks at the end of a quoted text into the quote. */
const CLOSING_QUOTE = /^[ \t\n]+"$/;
const BEFORE_COMMENT = /^[\s;&|()<>]?$/;
const QUOTING = new Set(['string', 'regex', 'extglob_pattern']);

/**
 * Checks the tree, because the grammar is more tolerant than a shell. If the grammar skipped text,
 * or took code for a text or a comment, the commands that would run are unknown.
 * @throws Unreadable
 */
export function checkTree(root: SyntaxNode, source: string): void {
  checkGap(source.slice(0, root.start));
  checkGap(source.slice(root.end));
  checkNode(root, source);
}

function checkNode(node: SyntaxNode, source: string, inExpansion = false): void {
  checkShape(node, source, inExpansion);
  if (QUOTING.has(node.type)) checkLeftover(node, source);
  else if (node.type !== 'heredoc_body') checkGaps(node, source);
  if (!inExpansion && node.type !== 'expansion') checkNeighbours(node);
  const inside = node.type === 'expansion' || (inExpansion && !node.type.endsWith('substitution'));
  for (const child of node.children) checkNode(child, source, inside);
}

/** Checks the text of a node. A default value, as in `${x:-a b}`, may contain blanks. */
function checkShape(node: SyntaxNode, source: string, inExpansion: boolean): void {
  const { type, named, start, end } = node;
  const text = source.slice(start, end);
  if (!named && text !== type && !(type === '"' && CLOSING_QUOTE.test(text)))
    throw new Unreadable('has a part that can’t be parsed');
  const shape = inExpansion && type === 'word' ? /^[^\n]*$/ : SHAPES[type];
  if (shape && !shape.test(text))
    throw new Unreadable('has a word or a text whose end can’t be told');
  if (type === 'comment' && !BEFORE_COMMENT.test(source.slice(Math.max(0, start - 1), start)))
    throw new Unreadable('has something that only looks like a comment');
}

function checkGaps({ start, end, type, children }: SyntaxNode, source: string): void {
  if (children.length === 0) return;
  let from = start;
  for (const child of children) {
    const gap = source.slice(from, child.start);
    if (type === 'concatenation' && gap !== '') throw new Unreadable('joins words in an odd way');
    checkGap(gap, IN_LINE.has(type));
    from = child.end;
  }
  checkGap(source.slice(from, end));
}

/** A shell takes two words without a blank between them for one. */
function checkNeighbours({ type, children }: SyntaxNode): void {
  if (ONE_WORD.has(type)) return;
  for (const [at, node] of children.entries()) {
    const before = children[at - 1];
    if (before?.end !== node.start || !WORDS.has(firstOf(node).type)) continue;
    if (WORDS.has(before.type) || ENDS_WITH_WORD.has(before.type))
      throw new Unreadable('has a word whose end can’t be told');
  }
}

/** The command or assignment at the start of a statement is its first word. */
function firstOf(node: SyntaxNode): SyntaxNode {
  const [first] = node.children;
  return !first || WORDS.has(node.type) ? node : firstOf(first);
}

function checkGap(gap: string, inLine = false): void {
  if (!(inLine ? GAP_IN_LINE : GAP).test(gap))
    throw new Unreadable('has a part that can’t be parsed');
}
