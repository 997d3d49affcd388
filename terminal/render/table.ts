import type { Tokens } from 'marked';
import { drawInline } from './inline.js';
import { lineWidth, span, styled, wrap } from './span.js';
import type { Line } from './span.js';
import { GLYPHS, SGR } from './theme.js';
import type { View } from './theme.js';

const LEAST_COLUMN = 3;

/** A table that fits the width: wide cells wrap. One too narrow for its columns becomes a list. */
export function drawTable({ header, rows, align }: Tokens.Table, view: View): Line[] {
  const head = header.map(({ tokens }) => styled(drawInline(tokens), SGR.bold));
  const body = rows.map((row) => row.map(({ tokens }) => drawInline(tokens)));
  const separator = span(` ${GLYPHS.bar} `, SGR.dim);
  const room = view.width - 3 * (head.length - 1);
  if (room < head.length * LEAST_COLUMN) return asList(head, body, view);
  const widths = fitColumns([head, ...body], room);
  const draw = (row: readonly Line[]): Line[] => drawRow(row, { widths, align, separator });
  const rule = widths.map((width) => GLYPHS.rule.repeat(width)).join(GLYPHS.rule.repeat(3));
  return [...draw(head), [span(rule, SGR.dim)], ...body.flatMap(draw)];
}

/** Natural widths if they fit; else the widest columns give way to the others. */
function fitColumns(rows: readonly (readonly Line[])[], room: number): number[] {
  const natural = (rows[0] ?? []).map((_, column) =>
    Math.max(1, ...rows.map((row) => Math.max(...widthsOf(row[column] ?? [])))),
  );
  const total = natural.reduce((sum, width) => sum + width, 0);
  if (total <= room) return natural;
  const widths = natural.map(() => 0);
  let left = room;
  const order = natural.map((_, column) => column).sort((a, b) => natural[a]! - natural[b]!);
  for (const [index, column] of order.entries()) {
    const share = Math.floor(left / (order.length - index));
    widths[column] = Math.max(Math.min(natural[column]!, share), 1);
    left -= widths[column];
  }
  return widths;
}

function widthsOf(cell: Line): number[] {
  return wrap(cell, Number.MAX_SAFE_INTEGER).map(lineWidth);
}

interface Columns {
  readonly widths: readonly number[];
  readonly align: readonly ('center' | 'left' | 'right' | null)[];
  readonly separator: Line[number];
}

function drawRow(row: readonly Line[], { widths, align, separator }: Columns): Line[] {
  const cells = widths.map((width, column) => wrap(row[column] ?? [], width));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) =>
    widths.flatMap((width, column) => {
      const line = cells[column]![index] ?? [];
      const padded = pad(line, width, align[column] ?? 'left');
      return column === 0 ? padded : [separator, ...padded];
    }),
  );
}

function pad(line: Line, width: number, align: 'center' | 'left' | 'right'): Line {
  const free = Math.max(width - lineWidth(line), 0);
  const before = { left: 0, right: free, center: Math.floor(free / 2) }[align];
  return [span(' '.repeat(before)), ...line, span(' '.repeat(free - before))];
}

/** `header: cell` a line, with a rule between rows. */
function asList(head: readonly Line[], body: readonly (readonly Line[])[], view: View): Line[] {
  const rule: Line = [span(GLYPHS.rule.repeat(Math.min(view.width, 8)), SGR.dim)];
  return body.flatMap((row) => [
    ...head.flatMap((name, column) =>
      wrap([...name, span(': '), ...(row[column] ?? [])], view.width),
    ),
    rule,
  ]);
}
