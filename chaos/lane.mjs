/** One direction of a connection: what goes `to` somebody can be kept back, or take its time. */
export class Lane {
  #to;
  #queue = [];
  /** How long a piece is on its way, in milliseconds. */
  #delay_ms = 0;
  #hasEnded = false;

  constructor(to) {
    this.#to = to;
  }

  /** Infinity: until it is told to flow. */
  slow(delay_ms) {
    this.#delay_ms = delay_ms;
  }

  flow() {
    this.#delay_ms = 0;
    while (this.#queue.length > 0) this.#pass();
    if (this.#hasEnded) this.#to.end();
  }

  take(bytes) {
    if (this.#delay_ms === 0) return this.#to.write(bytes);
    this.#queue.push(bytes);
    if (this.#delay_ms !== Infinity) setTimeout(() => this.#pass(), this.#delay_ms);
  }

  /** Nothing more comes; what was kept back is still to arrive. */
  end() {
    this.#hasEnded = true;
    if (this.#delay_ms === 0) this.#to.end();
  }

  #pass() {
    const bytes = this.#queue.shift();
    if (bytes) this.#to.write(bytes);
  }
}
