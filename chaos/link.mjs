/** A connection in two halves: what comes from `near` can be kept back, or take its time, also when `near` is gone. */
export class Link {
  #near;
  #far;
  #queue = [];
  /** How long a piece is on its way, in milliseconds. */
  #delay_ms = 0;
  #hasEnded = false;

  constructor(near, far, onClosed) {
    this.#near = near.setNoDelay(true);
    this.#far = far.setNoDelay(true);
    near.on('data', (bytes) => this.#take(bytes));
    near.on('error', () => {});
    near.on('close', () => this.#end());
    far.on('data', (bytes) => near.write(bytes));
    far.on('error', () => {});
    far.on('close', () => {
      near.destroy();
      onClosed();
    });
  }

  /** Infinity: until it is told to flow. */
  slow(delay_ms) {
    this.#delay_ms = delay_ms;
  }

  flow() {
    this.#delay_ms = 0;
    while (this.#queue.length > 0) this.#pass();
    if (this.#hasEnded) this.#far.end();
  }

  cut() {
    this.#near.destroy();
    this.#far.destroy();
  }

  #take(bytes) {
    if (this.#delay_ms === 0) return this.#far.write(bytes);
    this.#queue.push(bytes);
    if (this.#delay_ms !== Infinity) setTimeout(() => this.#pass(), this.#delay_ms);
  }

  #pass() {
    const bytes = this.#queue.shift();
    if (bytes) this.#far.write(bytes);
  }

  #end() {
    this.#hasEnded = true;
    if (this.#delay_ms === 0) this.#far.end();
  }
}
