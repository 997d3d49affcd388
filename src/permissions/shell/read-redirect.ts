import { readWord } from './read-word.js';
import type { ScriptPart, Word } from './script.js';
import type { SyntaxNode } from './shell-grammar.js';

export interface Redirect {
  readonly parts: readonly ScriptPart[];
  /** Words behind the file, which belong to the command. */
  readonly extra: readonly SyntaxNode[];
}

const DESCRIPTOR = /^(?:\d+-?|-)$/;
const NOWHERE = /^\/dev\/(?:null|stdin|stdout|stderr|fd\/[012])$/;
const NETWORK = /^\/dev\/(?:tcp|udp)\//;

/** `> file`, `2>&1`, `< file` and their like. */
export function readRedirect(node: SyntaxNode, source: string): Redirect {
  const [destination, ...extra] = node.children.filter(({ field }) => field === 'destination');
  if (!destination) return { parts: [], extra };
  const operator = node.children.find(({ named }) => !named)?.type ?? '';
  const path = readWord(destination, source);
  const text = source.slice(node.start, destination.end);
  return { parts: readFile(operator, path, text), extra };
}

function readFile(operator: string, path: Word, source: string): ScriptPart[] {
  const duplicates = operator === '>&' || operator === '<&';
  if (!path.dynamic && duplicates && DESCRIPTOR.test(path.text)) return [];
  if (!path.dynamic && NOWHERE.test(path.text)) return [];
  if (NETWORK.test(path.text))
    return [{ kind: 'other', source, doubt: 'opens a network connection' }];
  const access = operator === '<' ? 'read' : 'write';
  return [{ kind: 'file', source, path, access }];
}
