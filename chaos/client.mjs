import { SseParser } from '../dist/client/sse.js';

const LIMIT_MS = 8_000;
/** Longer than several heartbeats: whoever is silent for so long stands still. */
const SILENCE_MS = 1_500;

/**
 * Answers `{ status, body }`. Throws when the connection ends or the server is silent: what it did
 * is not known then.
 */
export async function send(url, { method = 'GET', body, headers = {}, limit_ms = LIMIT_MS } = {}) {
  const response = await fetch(url, {
    method,
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(limit_ms),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/**
 * Opens a stream of events: `{ status, frames }`, `frames` until it ends or is left. Throws when
 * the connection breaks or is silent.
 */
export async function openStream(url, { method = 'GET', body, headers = {} } = {}) {
  const connection = new AbortController();
  let timer = setTimeout(() => connection.abort(), LIMIT_MS);
  const response = await fetch(url, {
    method,
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
    signal: connection.signal,
  }).finally(() => clearTimeout(timer));
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => connection.abort(), SILENCE_MS);
  };
  return {
    status: response.status,
    frames: framesOf(response, { connection, watch, end: () => clearTimeout(timer) }),
  };
}

async function* framesOf(response, { connection, watch, end }) {
  const parser = new SseParser();
  const decoder = new TextDecoder();
  try {
    watch();
    for await (const bytes of response.body ?? []) {
      watch();
      for (const { id, event, data } of parser.push(decoder.decode(bytes, { stream: true })))
        yield { id, event, text: data, data: JSON.parse(data) };
    }
  } finally {
    end();
    connection.abort();
  }
}
