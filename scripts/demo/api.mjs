import { createParser } from 'eventsource-parser';

/** The server said no. */
class Refusal extends Error {
  constructor({ status, title, detail, type }) {
    super(`${status} ${title}: ${detail}`);
    this.status = status;
    this.detail = detail;
    this.type = type;
  }
}

/** The server's API, until the signal says that nobody wants it any more. */
export class Api {
  constructor(url, signal) {
    this.url = url;
    this.signal = signal;
  }

  get(path, headers) {
    return this.#fetch(path, { headers });
  }

  post(path, body) {
    const headers = { 'content-type': 'application/json' };
    return this.#fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async #fetch(path, options) {
    const response = await fetch(this.url + path, { ...options, signal: this.signal });
    if (response.ok) return response;
    throw new Refusal(await response.json());
  }
}

/** Yields the frames of an event stream; leaving the loop closes the connection. */
export async function* readEvents(response) {
  const frames = [];
  const parser = createParser({ onEvent: (frame) => frames.push(frame) });
  const decoder = new TextDecoder();
  for await (const bytes of response.body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* frames.splice(0);
  }
}
