import { Lane } from './lane.mjs';

/**
 * A connection in two halves: what comes from `near` can be kept back, or take its time, also when
 * `near` is gone; and so can what comes back.
 */
export class Link {
  #near;
  #far;
  #there;
  #back;

  constructor(near, far, onClosed) {
    this.#near = near.setNoDelay(true);
    this.#far = far.setNoDelay(true);
    this.#there = new Lane(far);
    this.#back = new Lane(near);
    near.on('data', (bytes) => this.#there.take(bytes));
    near.on('error', () => {});
    near.on('close', () => this.#there.end());
    far.on('data', (bytes) => this.#back.take(bytes));
    far.on('error', () => {});
    far.on('close', () => {
      near.destroy();
      onClosed();
    });
  }

  /** In milliseconds, each way; Infinity: until it is told to flow. */
  slow({ there, back }) {
    this.#there.slow(there);
    this.#back.slow(back);
  }

  flow() {
    this.#there.flow();
    this.#back.flow();
  }

  cut() {
    this.#near.destroy();
    this.#far.destroy();
  }
}
