import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { Link } from './link.mjs';

/** What a server's way to its database leads through. Can be shut or made slow: what is on its way then arrives late, or never. */
export class Gate {
  #links = new Set();
  #delay_ms = 0;
  #server;

  /** `target` is `{ host, port }`. */
  constructor(target) {
    this.#server = createServer((near) => this.#connect(near, connect(target)));
  }

  /** Resolves with the port that it listens on. */
  async listen() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this.#server.address().port;
  }

  /** From now on nothing arrives at the database; what that answers still comes back. */
  shut() {
    this.slow(Infinity);
  }

  /** From now on all that is sent takes its time. */
  slow(delay_ms) {
    this.#delay_ms = delay_ms;
    for (const link of this.#links) link.slow(delay_ms);
  }

  /** New connections find it open. What is on its way on the others has yet to be told to `arrive()`, or is to `lose()`. */
  open() {
    this.#delay_ms = 0;
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

  #connect(near, far) {
    const link = new Link(near, far, () => this.#links.delete(link));
    this.#links.add(link);
    link.slow(this.#delay_ms);
  }
}
