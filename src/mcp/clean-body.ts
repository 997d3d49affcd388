import { inSlices } from '../kernel/async/sliced.js';
import type { Sliced } from '../kernel/async/sliced.js';
import { cleanIncoming } from './incoming-message.js';

const DATA = /^data: ?/;

/** The body of a response with its messages as `cleanIncoming` writes them. */
export async function* cleanBody(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
): AsyncGenerator<Uint8Array> {
  if (contentType.includes('text/event-stream')) yield* cleanStream(body);
  else if (contentType.includes('json')) yield* cleanWhole(body);
  else yield* body;
}

async function* cleanWhole(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  yield Buffer.from(await inSlices(cleanIncoming(Buffer.concat(parts).toString('utf8'))));
}

/** Line by line; a message whose JSON has several lines stays as it is. */
async function* cleanStream(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) {
      yield Buffer.from(await inSlices(cleanLines(parts.join('') + text.slice(0, end))));
      parts = [];
    }
    parts.push(text.slice(end));
  }
  yield Buffer.from(await inSlices(cleanLines(parts.join('') + decoder.decode())));
}

function* cleanLines(text: string): Sliced<string> {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const [prefix] = DATA.exec(line) ?? [];
    const data = prefix === undefined ? line : yield* cleanIncoming(line.slice(prefix.length));
    lines.push((prefix ?? '') + data);
    yield;
  }
  return lines.join('\n');
}
