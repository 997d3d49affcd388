import type { Token, Tokens } from 'marked';
import { highlight } from './highlight.js';
import { drawInline } from './inline.js';
import { span, styled, wrap } from './span.js';
import type { Line } from './span.js';
import { drawTable } from './table.js';
import { GLYPHS, SGR } from './theme.js';
import type { View } from './theme.js';

const BLANK: Line = [];
/** Code of which more is drawn plain: colours of a growing block are found anew each time. */
const MOST_COLOURED = 20_000;

/** Block tokens as lines, with a blank line between two blocks. */
function drawBlocks(tokens: readonly Token[], view: View): Line[] {
  const blocks = tokens.map((token) => drawBlock(token, view)).filter((it) => it.length > 0);
  return blocks.flatMap((lines, index) => (index === 0 ? lines : [BLANK, ...lines]));
}

export function drawBlock(token: Token, view: View): Line[] {
  switch (token.type) {
    case 'space':
      return [];
    case 'heading':
      return drawHeading(token as Tokens.Heading, view);
    case 'hr':
      return [[span(GLYPHS.rule.repeat(Math.min(view.width, 40)), SGR.dim)]];
    case 'code':
      return drawCode(token as Tokens.Code, view);
    case 'list':
      return drawList(token as Tokens.List, view);
    case 'blockquote':
      return quote(drawBlocks((token as Tokens.Blockquote).tokens, narrow(view, 2)));
    case 'table':
      return drawTable(token as Tokens.Table, view);
    case 'paragraph':
    case 'text':
      return wrap(drawInline((token as Tokens.Paragraph).tokens ?? [token]), view.width);
    default:
      return wrap([span(token.raw.trimEnd(), SGR.dim)], view.width);
  }
}

function drawHeading({ tokens, depth }: Tokens.Heading, view: View): Line[] {
  const sgr = depth === 1 ? `${SGR.bold};${SGR.underline}` : SGR.bold;
  return wrap(styled(drawInline(tokens), sgr), view.width);
}

function drawCode({ text, lang }: Tokens.Code, view: View): Line[] {
  if (text === '') return [];
  const language = lang?.split(/[\s,{]/, 1)[0]?.toLowerCase() ?? '';
  const lines = highlight(text, text.length > MOST_COLOURED ? '' : language);
  return lines.flatMap((line) => wrap(line, view.width, indentOf([span('  ')], [span('  ')])));
}

function drawList({ items, ordered, start }: Tokens.List, view: View): Line[] {
  const first = ordered ? Number(start) || 0 : 0;
  return items.flatMap((item, index) => {
    const box = item.task ? (item.checked ? '[x] ' : '[ ] ') : '';
    const mark = `${ordered ? `${first + index}.` : GLYPHS.bullet} `;
    const blocks = item.tokens.filter(({ type }) => type !== 'checkbox');
    const inside = narrow(view, mark.length);
    const lines = blocks.flatMap((token) => drawBlock(token, inside));
    const hang = span(' '.repeat(mark.length));
    return (lines.length === 0 ? [BLANK] : lines).map((line, at) => [
      at === 0 ? span(mark, SGR.cyan) : hang,
      ...(at === 0 && box !== '' ? [span(box)] : []),
      ...line,
    ]);
  });
}

function quote(lines: readonly Line[]): Line[] {
  return lines.map((line) => [span(`${GLYPHS.bar} `, SGR.dim), ...styled(line, SGR.dim)]);
}

export function narrow(view: View, by: number): View {
  return { ...view, width: Math.max(view.width - by, 1) };
}

function indentOf(first: Line, rest: Line): { readonly first: Line; readonly rest: Line } {
  return { first, rest };
}
