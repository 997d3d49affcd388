import type { SyntaxNode } from './shell-grammar.js';

const HARMLESS_EXPANSION = /^\$\{#?(?:\w+(?:\[[@*\d]+\])?|[?$!#@*-])\}$/;
const NUMBERS_ONLY = /^\$(?:\(\(|\[)[\d\s+\-*/%()<>]*(?:\)\)|\])$/;
const CALCULATES = /^(?:-v|-R|-eq|-ne|-lt|-le|-gt|-ge)$/;

/** Expansions that can do more than put a value in: shells calculate in them, and what they calculate may run commands. */
export function findRiskyExpansion(node: SyntaxNode, source: string): string | undefined {
  const text = source.slice(node.start, node.end);
  if (node.type === 'expansion' && !HARMLESS_EXPANSION.test(text))
    return `has an expansion that can do more than it shows (${cut(text)})`;
  if (node.type === 'arithmetic_expansion' && !NUMBERS_ONLY.test(text))
    return 'calculates with something else than numbers';
  for (const child of node.children) {
    const found = findRiskyExpansion(child, source);
    if (found) return found;
  }
  return undefined;
}

/** Why a test or a calculation is more than a look, if it is. */
export function describeArithmetic(node: SyntaxNode, source: string): string | undefined {
  const text = source.slice(node.start, node.end);
  if (text.startsWith('((')) return 'calculates with variables';
  return isLook(node, source) ? findRiskyExpansion(node, source) : 'calculates with variables';
}

/** Compares texts or asks about files; numbers are compared by calculating. */
function isLook(node: SyntaxNode, source: string): boolean {
  if (node.children.length === 0) return !CALCULATES.test(source.slice(node.start, node.end));
  return node.children.every((child) => isLook(child, source));
}

function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
