import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { send } from './client.mjs';

const LEASE_MS = 1_500;
const KINDS = { kill: 60, both: 8, early: 10, term: 12, pause: 14, steal: 14 };
const NEED_TWO = ['both', 'pause', 'steal'];

/** Ends processes at instants that a seed decides, and starts them again. */
export class Killer {
  /** How often it did what. */
  counts = { kill: 0, term: 0, pause: 0, steal: 0 };
  #fleet;
  #random;
  #store;
  /** What is done to each place: one thing after the other. */
  #queues;

  constructor({ fleet, random, store }) {
    this.#fleet = fleet;
    this.#random = random;
    this.#store = store;
    this.#queues = Array.from({ length: fleet.size }, () => Promise.resolve());
  }

  /** Until so many were killed, or it is time to end. */
  async run(kills, deadline) {
    const isOver = () => this.counts.kill >= kills || performance.now() > deadline;
    await Promise.all(this.#queues.map((_, place) => this.#haunt(place, isOver)));
  }

  async #haunt(place, isOver) {
    const random = this.#random.fork(place);
    const { size } = this.#fleet;
    const kinds = Object.entries(KINDS).filter(([kind]) => size > 1 || !NEED_TWO.includes(kind));
    while (!isOver()) {
      await delay(random.between(500, 2_500));
      const kind = random.weighted(Object.fromEntries(kinds));
      const places = kind === 'both' ? [place, (place + 1) % size] : [place];
      await this.#inTurn(places, () => this[kind](random, ...places));
    }
  }

  async #inTurn(places, work) {
    const before = Promise.all(places.map((place) => this.#queues[place]));
    const done = before.then(work);
    for (const place of places) this.#queues[place] = done;
    await done;
  }

  async kill(random, place) {
    await this.#end(place);
    await delay(random.between(0, 500));
    await this.#fleet.start(place);
  }

  /** One right after the other: nobody is left for a moment. */
  async both(random, ...places) {
    for (const place of places) {
      await this.#end(place);
      await delay(random.between(0, 150));
    }
    await this.#fleet.startAll();
  }

  /** Again while it starts, or right after that. */
  async early(random, place) {
    await this.#end(place);
    const started = this.#fleet.start(place);
    await delay(random.between(50, 1_200));
    await this.#end(place);
    await started;
    await this.#fleet.start(place);
  }

  async term(_, place) {
    this.counts.term++;
    await this.#fleet.stop(place);
    await this.#fleet.start(place);
  }

  /** Stands still for longer than its leases; sometimes it never wakes up. */
  async pause(random, place) {
    this.counts.pause++;
    const resume = this.#fleet.pause(place);
    await delay(random.between(LEASE_MS, 3 * LEASE_MS));
    if (random.chance(0.2)) return this.kill(random, place);
    return resume();
  }

  /**
   * As if another process had taken everything and died, while all runs go on. A cancel is heard of where it is sent, so somebody who
   * doesn't run an interaction takes it up at once: its old run writes on until it hears of that, if it is let.
   */
  async steal(random) {
    this.counts.steal++;
    const client = new pg.Client({ connectionString: this.#store.url });
    await client.connect();
    const { rows } = await client.query(
      `UPDATE interactions SET owner = 'another', epoch = epoch + 1, lease_until = clock_timestamp() - interval '1 second'
       WHERE owner IS NOT NULL AND completed_at IS NULL RETURNING id, chat_id`,
    );
    await client.end();
    await Promise.all(rows.map((row) => this.#cancelSomewhere(random, row)));
  }

  async #cancelSomewhere(random, { id, chat_id }) {
    if (random.chance(0.5)) return;
    const url = await this.#fleet.url(random);
    const path = `/chats/${chat_id}/interactions/${id}/cancel`;
    await send(`${url}${path}`, { method: 'POST' }).catch(() => {}); // heard or not
  }

  async #end(place) {
    this.counts.kill++;
    await this.#fleet.kill(place);
  }
}
