import { span, wrap } from './span.js';
import type { Line } from './span.js';
import { padTo, widthOf } from './width.js';

/** A text beside its name needs so much room; else it stands below. */
const LEAST_TEXT = 24;

export interface Definition {
  readonly name: string;
  readonly text: string;
}

/** Names in a column, each with its text beside or below. One without a name is a blank line. */
export function drawDefinitions(
  entries: readonly Definition[],
  { width, sgr }: { readonly width: number; readonly sgr: string },
): Line[] {
  const column = Math.max(...entries.map(({ name }) => widthOf(name))) + 2;
  const isNarrow = width - column < LEAST_TEXT;
  return entries.flatMap(({ name, text }): Line[] => {
    if (name === '') return [[]];
    const rest = [span(' '.repeat(isNarrow ? 2 : column))];
    if (!isNarrow)
      return wrap([span(text)], width, { first: [span(padTo(name, column), sgr)], rest });
    return [
      ...wrap([span(name, sgr)], width, { first: [], rest }),
      ...wrap([span(text)], width, { first: rest, rest }),
    ];
  });
}
