import { setTimeout as delay } from 'node:timers/promises';
import { both, early, kill, strike } from './blows/kill.mjs';
import { flush, hush, sever } from './blows/redis.mjs';
import { starve } from './blows/starve.mjs';
import { nap, steal } from './blows/steal.mjs';
import { pause, term } from './blows/stop.mjs';

const BLOWS = { kill, both, early, strike, term, pause, starve, steal, nap, sever, hush, flush };
const WEIGHTS = {
  kill: 32,
  both: 7,
  early: 7,
  strike: 20,
  term: 8,
  pause: 8,
  starve: 14,
  steal: 8,
  nap: 14,
  sever: 14,
  hush: 10,
  flush: 8,
};
/** With `--short`: servers that hardly live longer than a run needs for its first record. */
const SHORT_WEIGHTS = { kill: 4, early: 1 };
const SHORT_UPTIME_MS = [0, 1_750];
const NEED_TWO = ['both', 'pause'];
const NEED_POSTGRES = ['starve', 'steal', 'nap'];
const NEED_REDIS = ['sever', 'hush', 'flush'];
/** Of one that runs nothing no tool ever begins. */
const NEED_RUNS = ['strike'];

/**
 * Ends processes at instants that a seed decides, and starts them again. On a machine that is busy
 * it takes more time, so that more than starts is lost.
 */
export class Killer {
  /** How often it did what. */
  counts = { kill: 0, term: 0, pause: 0, starve: 0, steal: 0, sever: 0, hush: 0, flush: 0 };
  /** `{ what, at }`: when it did something of which runs may be lost. */
  moments = [];
  /**
   * `{ what, place, from, to }`: when somebody had no Redis; without a place: when that forgot
   * everything. No run may be lost of it.
   */
  outages = [];
  #random;
  /** What is done to each place: one thing after the other. */
  #queues;

  constructor({ fleet, random, tail, thefts, redis, short }) {
    Object.assign(this, { fleet, tail, thefts, redis, short });
    this.#random = random;
    this.#queues = Array.from({ length: fleet.size }, () => Promise.resolve());
  }

  /** Until so many were killed, or it is time to end. */
  async run(kills, deadline) {
    const isOver = () => this.counts.kill >= kills || performance.now() > deadline;
    await Promise.all(this.#queues.map((_, place) => this.#haunt(place, isOver)));
  }

  note(what) {
    this.counts[what]++;
    this.moments.push({ what, at: Date.now() });
  }

  /** `work` gets the gate between a place and Redis, which is open again when it is done. */
  async without(place, what, work) {
    this.counts[what]++;
    const outage = { what, place, from: Date.now(), to: Infinity };
    this.outages.push(outage);
    const gate = this.fleet.gate(place, 'redis');
    await work(gate);
    gate.open();
    outage.to = Date.now();
  }

  async flush() {
    this.counts.flush++;
    const from = Date.now();
    await this.redis.flush();
    this.outages.push({ what: 'flush', from, to: Date.now() });
  }

  async #haunt(place, isOver) {
    const random = this.#random.fork(place);
    const { size } = this.fleet;
    const weights = this.#weights(place);
    while (!isOver()) {
      await delay(this.#uptime(random));
      const kind = random.weighted(weights);
      const places = kind === 'both' ? [place, (place + 1) % size] : [place];
      await this.#inTurn(places, () => BLOWS[kind](this, random, ...places));
    }
  }

  #uptime(random) {
    if (this.short) return random.between(...SHORT_UPTIME_MS);
    return random.between(500, 2_500) * this.fleet.slowness;
  }

  #weights(place) {
    if (this.short) return SHORT_WEIGHTS;
    const never = [
      ...(this.fleet.size > 1 ? [] : NEED_TWO),
      ...(this.thefts ? [] : NEED_POSTGRES),
      ...(this.redis ? [] : NEED_REDIS),
      ...(this.fleet.runs(place) ? [] : NEED_RUNS),
    ];
    return Object.fromEntries(Object.entries(WEIGHTS).filter(([kind]) => !never.includes(kind)));
  }

  async #inTurn(places, work) {
    const before = Promise.all(places.map((place) => this.#queues[place]));
    const done = before.then(work);
    for (const place of places) this.#queues[place] = done;
    await done;
  }
}
