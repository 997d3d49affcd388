import { Transform } from 'node:stream';
import { messageOf } from '../../kernel/app-error.js';
import { AsyncValue } from '../../kernel/async/async-value.js';
import { unmarkNumbers } from '../../kernel/json/exact-json.js';
import type { SocketFetch } from '../../net/socket-fetch.js';
import { SocketResponse } from '../../net/socket-response.js';

/** Takes one request to a model's API and its answer, as they are on the wire. */
export interface Exchange {
  /** Status and content type of the answer. */
  answered(status: number, type: string | null): void;
  /** A part of the body, without content codings. */
  received(bytes: Uint8Array): void;
  /** Nothing follows. `fault`: why it was cut off. */
  ended(fault?: string): void;
}

/** Port: takes the exchanges of the work that is done with it. */
export abstract class WireTap {
  /** @param endpoint without user, password and query */
  abstract begin(endpoint: string, body: string): Exchange;
}

const current = new AsyncValue<WireTap>();

export function withWireTap<T>(tap: WireTap, work: () => T): T {
  return current.run(tap, work);
}

/** The same `fetch`, of which a tap hears if there is one. Headers of requests are not told. */
export function tapped(fetch: SocketFetch['fetch']): SocketFetch['fetch'] {
  return async (input, init) => {
    const tap = current.get();
    if (!tap) return fetch(input, init);
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
    const exchange = tap.begin(`${origin}${pathname}`, textOf(init?.body));
    try {
      const response = await fetch(input, init);
      exchange.answered(response.status, response.headers.get('content-type'));
      await listen(response, exchange);
      return response;
    } catch (error) {
      exchange.ended(messageOf(error));
      throw error;
    }
  };
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? unmarkNumbers(body) : '';
}

/** The body of an error is text already. */
async function listen(response: Response, exchange: Exchange): Promise<void> {
  if (response.ok && response instanceof SocketResponse)
    return response.passThrough(new Listener(exchange));
  exchange.received(new Uint8Array(await response.clone().arrayBuffer()));
  exchange.ended();
}

class Listener extends Transform {
  constructor(private readonly exchange: Exchange) {
    super();
  }

  override _transform(chunk: Buffer, _: unknown, done: (error: null, data: Buffer) => void): void {
    this.exchange.received(chunk);
    done(null, chunk);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.exchange.ended(error?.message);
    done(error);
  }
}
