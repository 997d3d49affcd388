import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { Link } from './link.mjs';

/** What a server's way to its database leads through. Can be shut: what is sent meanwhile arrives late, or never. */
export class Gate {
  #links = new Set();
  #isShut = false;
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
    this.#isShut = true;
    for (const link of this.#links) link.hold();
  }

  /** New connections find it open. What was sent on the others is kept until it is told to `arrive()`, or to be `lost()`. */
  open() {
    this.#isShut = false;
    const kept = [...this.#links];
    return {
      arrive: () => kept.forEach((link) => link.flow()),
      lose: () => kept.forEach((link) => link.cut()),
    };
  }

  close() {
    this.#server.close();
    for (const link of this.#links) link.cut();
  }

  #connect(near, far) {
    const link = new Link(near, far, () => this.#links.delete(link));
    this.#links.add(link);
    if (this.#isShut) link.hold();
  }
}
