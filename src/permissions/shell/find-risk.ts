import type { SyntaxNode } from './shell-grammar.js';
import { Unreadable } from './script.js';
import { cutText } from '../../kernel/text/cut-text.js';

/** Something in a script that can run commands that are not written in it. */
export interface Risk {
  readonly source: string;
  /** A sentence. */
  readonly why: string;
}

const HARMLESS_EXPANSION = /^\$\{#?(?:\w+(?:\[[@*\d]+\])?|[?$!#@*-])\}$/;
const NUMBERS_ONLY = /^\$(?:\(\(|\[)[\d\s+\-*/%()<>]*(?:\)\)|\])$/;
const NUMBER = /^(?:\$[?#$]|-?\d+)$/;
const COMPARES = /^-(?:eq|ne|lt|le|gt|ge)$/;
const LOOKS_UP = /^-[vR]$/;

/**
 * Finds something that does more than insert a value: shells evaluate arithmetic, and the names of
 * array elements, and what they evaluate can run commands.
 * @throws Unreadable
 */
export function findRisk(node: SyntaxNode, source: string): Risk | undefined {
  const text = source.slice(node.start, node.end);
  const why = describeRisk(node, text, source);
  if (why) return { source: cutText(text, 200), why };
  for (const child of node.children) {
    const found = findRisk(child, source);
    if (found) return found;
  }
  return undefined;
}

function describeRisk(node: SyntaxNode, text: string, source: string): string | undefined {
  switch (node.type) {
    case 'expansion':
      return HARMLESS_EXPANSION.test(text)
        ? undefined
        : 'it has an expansion that can run commands';
    case 'arithmetic_expansion':
      return NUMBERS_ONLY.test(text) ? undefined : CALCULATES;
    case 'c_style_for_statement':
      return CALCULATES;
    case 'compound_statement':
      return text.startsWith('((') ? CALCULATES : undefined;
    case 'test_command':
      return describeTest(node, text, source);
    case 'command_substitution':
      return checkBackticks(text);
    case 'command':
    case 'redirected_statement':
      return assignsDescriptor(node, source)
        ? 'it has a redirection that sets a variable'
        : undefined;
    default:
      return undefined;
  }
}

const CALCULATES = 'it calculates with something else than numbers';

/** In backticks, a backslash has another meaning than elsewhere. */
function checkBackticks(text: string): undefined {
  if (text.startsWith('`') && /[\\"]/.test(text))
    throw new Unreadable('has a backslash or a quote in backticks');
}

/** Words of `[ … ]` can become operators at run time, `[[ … ]]` calculates to compare numbers. */
function describeTest(node: SyntaxNode, text: string, source: string): string | undefined {
  if (text.startsWith('((')) return CALCULATES;
  const words = leavesOf(node).map(({ start, end }) => source.slice(start, end));
  if (words.some((word) => LOOKS_UP.test(word))) return 'it looks up a variable by name';
  if (text.startsWith('[['))
    return words.some((word) => COMPARES.test(word)) ? CALCULATES : undefined;
  return splits(node, source) ? 'it tests words that are known only when it runs' : undefined;
}

function leavesOf(node: SyntaxNode): SyntaxNode[] {
  return node.children.length === 0 ? [node] : node.children.flatMap(leavesOf);
}

/** True if it has an expansion outside of quotes that can become several words. */
function splits(node: SyntaxNode, source: string): boolean {
  if (node.type === 'string') return false;
  const isExpansion = node.type.endsWith('expansion') || node.type.endsWith('substitution');
  if (isExpansion) return !NUMBER.test(source.slice(node.start, node.end));
  return node.children.some((child) => splits(child, source));
}

/** True for `{name}>file`, and for what could be it. */
function assignsDescriptor({ children }: SyntaxNode, source: string): boolean {
  return children.some(
    ({ type, start }) => type.endsWith('_redirect') && source[start - 1] === '}',
  );
}
