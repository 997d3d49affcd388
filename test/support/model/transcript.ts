import { readFileSync } from 'node:fs';

/** One request to a model's API, and how it was answered. */
export interface Exchange {
  /** What happens in it. */
  readonly title: string;
  /** It may come before, between or after those just before it. */
  readonly beside: boolean;
  /** What has to be in the request, as `missingIn` reads it. */
  readonly request: { readonly headers: Headers; readonly body: unknown };
  readonly response: {
    readonly status: number;
    readonly headers: Headers;
    /** To the byte. */
    readonly body: Buffer;
  };
}

/** A conversation with a vendor's API in the format that goes over the wire. */
export interface Transcript {
  /** What has to come of it, as `missingIn` reads it. */
  readonly outcome: unknown;
  readonly exchanges: readonly Exchange[];
}

type Headers = Readonly<Record<string, string>>;

const EXCHANGE = /^>>([>+]) (.*)\n([^]*?)^<<< (\d{3})( CRLF)?\n([^]*?)\n\n([^]*)/m;

/**
 * Reads `test/transcripts/<name>.txt`, where
 *
 *     # lines in front of a request or an outcome are comments
 *     { the outcome, in JSON }
 *
 *     >>> what happens: a request with these headers and this JSON
 *     (>>+ one that may come beside those before it)
 *     header: value
 *
 *     { "model": "…" }
 *
 *     <<< 200 (or 200 CRLF: the lines of the body end in CR LF)
 *     header: value
 *
 *     the body, up to the next >>> at the beginning of a line
 */
export function readTranscript(name: string): Transcript {
  const file = new URL(`../../transcripts/${name}.txt`, import.meta.url);
  const [outcome, ...exchanges] = readFileSync(file, 'utf8').split(/^(?=>>[>+] )/m);
  return {
    outcome: readJson(outcome!).json,
    exchanges: exchanges.map((text) => readExchange(text, name)),
  };
}

function readExchange(text: string, name: string): Exchange {
  const parts = EXCHANGE.exec(text);
  if (!parts) throw new Error(`${name}: no answer in ${text.slice(0, 200)}`);
  const [, mark, title = '', request = '', status, crlf, headers = '', body = ''] = parts;
  const { head, json } = readJson(request);
  return {
    title,
    beside: mark === '+',
    request: { headers: readHeaders(head), body: json },
    response: {
      status: Number(status),
      headers: readHeaders(headers),
      body: Buffer.from(crlf ? body.replaceAll('\n', '\r\n') : body),
    },
  };
}

/** JSON that begins in a line of its own, and what is in front of it. */
function readJson(text: string): { head: string; json: unknown } {
  const start = text.search(/^\{/m);
  return { head: text.slice(0, start), json: JSON.parse(text.slice(start)) as unknown };
}

function readHeaders(text: string): Headers {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line): [string, string] => {
      const [name = '', value = ''] = line.split(/: (.*)/);
      return [name, value];
    }),
  );
}
