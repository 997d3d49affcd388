import { checkLeftover } from './read-word.js';
import type { SyntaxNode } from './shell-grammar.js';
import { Unreadable } from './script.js';

const DELIMITER = /^(?:'(\w+)'|"(\w+)"|(\w+))$/;

/** A here-document. */
export interface Heredoc {
  readonly body: string;
  /** True if the delimiter is quoted: nothing in the body is expanded. */
  readonly literal: boolean;
}

/**
 * Reads a here-document. Its end separates data from code, so it has to be exactly the end that a
 * shell finds.
 * @throws Unreadable
 */
export function readHeredoc(node: SyntaxNode, source: string): Heredoc {
  const start = find(node, 'heredoc_start');
  const end = find(node, 'heredoc_end');
  const body = node.children.find(({ type }) => type === 'heredoc_body');
  const written = source.slice(start.start, start.end);
  const [, single, double, bare] = DELIMITER.exec(written) ?? [];
  const delimiter = single ?? double ?? bare;
  if (delimiter === undefined) throw unclear();
  const text = body ? source.slice(body.start, body.end) : '';
  const indented = node.children.some(({ type }) => type === '<<-');
  checkEnd({ text, delimiter, indented, rest: source.slice(end.start) });
  const literal = bare === undefined;
  if (body && !literal) checkLeftover(body, source);
  return { body: text, literal };
}

function checkEnd(heredoc: { text: string; delimiter: string; indented: boolean; rest: string }) {
  const { text, delimiter, indented, rest } = heredoc;
  const lines = text.split('\n').map((line) => (indented ? line.replace(/^\t+/, '') : line));
  const last = lines.pop(); // the text before the delimiter on its line
  const [endLine] = rest.split('\n', 1);
  const ends = last === '' && endLine === delimiter;
  if (!ends || lines.includes(delimiter)) throw unclear();
}

function find(node: SyntaxNode, type: string): SyntaxNode {
  const found = node.children.find((child) => child.type === type);
  if (!found) throw unclear();
  return found;
}

function unclear(): Unreadable {
  return new Unreadable('has a here-document whose end can’t be told');
}
