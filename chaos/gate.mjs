import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { Link } from './link.mjs';

const OPEN = { there: 0, back: 0 };

/**
 * What a server's way to its database, or to Redis, leads through. Can be shut or made slow: what
 * is on its way then arrives late, or never.
 */
export class Gate {
  #links = new Set();
  #delays = OPEN;
  #isBarred = false;
  #server;

  /** `target` is `{ host, port }`. */
  constructor(target) {
    this.#server = createServer((near) => {
      if (this.#isBarred) near.destroy();
      else this.#connect(near, connect(target));
    });
  }

  /** Resolves with the port that it listens on from then on. */
  async listen() {
    if (!this.#server.listening) {
      this.#server.listen(0, '127.0.0.1');
      await once(this.#server, 'listening');
    }
    return this.#server.address().port;
  }

  /** From now on nothing arrives there; what it answers still comes back. */
  shut() {
    this.#slow({ ...OPEN, there: Infinity });
  }

  /** The other way round: everything arrives there, and nothing that it says comes back. */
  mute() {
    this.#slow({ ...OPEN, back: Infinity });
  }

  /** Cuts all connections, and takes no others. */
  bar() {
    this.#isBarred = true;
    for (const link of this.#links) link.cut();
  }

  /** From now on all that is sent takes its time. */
  slow(delay_ms) {
    this.#slow({ ...OPEN, there: delay_ms });
  }

  /**
   * New connections find it open. What is on its way on the others has yet to be told to
   * `arrive()`, or is to `lose()`.
   */
  open() {
    this.#delays = OPEN;
    this.#isBarred = false;
    const links = [...this.#links];
    return {
      arrive: () => links.forEach((link) => link.flow()),
      lose: () => links.forEach((link) => link.cut()),
    };
  }

  close() {
    this.#server.close();
    for (const link of this.#links) link.cut();
  }

  #slow(delays) {
    this.#delays = delays;
    for (const link of this.#links) link.slow(delays);
  }

  #connect(near, far) {
    const link = new Link(near, far, () => this.#links.delete(link));
    this.#links.add(link);
    link.slow(this.#delays);
  }
}
