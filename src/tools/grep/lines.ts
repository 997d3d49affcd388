/** The lines of a text, without their ends, numbered from 1. What ends with a line end has no empty line after it. */
export function* linesOf(text: string): Generator<readonly [number, string]> {
  let number = 0;
  for (let start = 0; start < text.length;) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const stop = end > start && text[end - 1] === '\r' ? end - 1 : end;
    yield [++number, text.slice(start, stop)];
    start = end + 1;
  }
}
