import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Child } from '../bench/child.mjs';
import { freePort, untilReady } from '../bench/server.mjs';
import { Gate } from './gate.mjs';
import { settingsOf } from './settings.mjs';

const ENTRY = fileURLToPath(new URL('server/main.mjs', import.meta.url));
const POLL_MS = 20;
/** However busy the machine is. */
const READY_MS = 300_000;
/** What a machine with nothing else to do takes. */
const SWIFT_MS = 1_500;
const MAX_SLOWNESS = 8;
const DEFAULT_PORTS = { database: 5432, redis: 6379 };

/** The server processes: a place for each, in which one is started after the other. */
export class Fleet {
  /** How each ended that did not end by a signal of ours, and what it said. */
  odd_ends = [];
  /** `{ server, from, to }` of each that stood still for a while. */
  pauses = [];
  /** The same of each that was told to stop: `to` is when it had ended. */
  stops = [];
  #places;
  #options;
  #starts = 0;
  #ready_ms = 0;

  /**
   * `roles` has one for each place, an API first; `redis` is its address, if they share one;
   * `effects` is the file that the tools write to.
   */
  constructor({ roles, store, redis, model, effects, folder }) {
    this.#options = { store, model, effects, folder };
    const targets = { database: store.url, redis };
    this.#places = roles.map((role, number) => ({
      ...{ number, role, state: 'down' },
      gates: {},
      targets,
    }));
  }

  get size() {
    return this.#places.length;
  }

  /**
   * How many times as long as elsewhere everything takes on this machine, by the last start of a
   * server.
   */
  get slowness() {
    return Math.min(Math.max(Math.round(this.#ready_ms / SWIFT_MS), 1), MAX_SLOWNESS);
  }

  pid(number) {
    return this.#places[number].child.pid;
  }

  /** Whether it runs agents. */
  runs(number) {
    return this.#places[number].role !== 'api';
  }

  /** What its way to the `database` or to `redis` leads through, if it has one. */
  gate(number, to = 'database') {
    return this.#places[number].gates[to];
  }

  /** The address of one that listens to clients, as far as we know; waits until there is one. */
  async url(random) {
    for (;;) {
      const up = this.#clientsMayAsk();
      if (up.length > 0) return `http://127.0.0.1:${random.pick(up).port}`;
      await delay(POLL_MS);
    }
  }

  /** The addresses of all that listen to clients. */
  urls() {
    return this.#clientsMayAsk().map(({ port }) => `http://127.0.0.1:${port}`);
  }

  /** Resolves when it is ready, or was killed before that. */
  async start(number) {
    const place = this.#places[number];
    await this.#launch(place);
    const { child, port } = place;
    const begun = performance.now();
    const wait = { limit_ms: READY_MS, poll_ms: POLL_MS };
    const fault = await untilReady(child, port, wait).catch((error) => error);
    if (place.child !== child || place.state !== 'starting') return;
    this.#ready_ms = performance.now() - begun;
    if (!fault) place.state = 'up';
    else if (child.errors.includes('EADDRINUSE'))
      await this.start(number); // somebody was faster
    else throw fault;
  }

  startAll() {
    const down = this.#places.filter(({ state }) => state === 'down');
    return Promise.all(down.map(({ number }) => this.start(number)));
  }

  async kill(number) {
    const place = this.#places[number];
    place.state = 'down';
    place.child.signal('SIGKILL');
    await place.child.exit();
  }

  /** Asks it to stop in order. */
  async stop(number) {
    const place = this.#places[number];
    if (place.state !== 'up') return;
    place.state = 'down';
    const stop = { server: place.name, from: Date.now(), to: Infinity };
    this.stops.push(stop);
    place.child.signal('SIGTERM');
    this.#tellEnd(place, await place.child.exit());
    stop.to = Date.now();
  }

  async stopAll() {
    await Promise.all(this.#places.map(({ number }) => this.stop(number)));
  }

  async killAll() {
    const alive = this.#places.filter(({ child }) => child && !child.hasExited);
    await Promise.all(alive.map(({ number }) => this.kill(number)));
    for (const { gates } of this.#places) for (const gate of Object.values(gates)) gate.close();
  }

  pause(number) {
    const { child, name } = this.#places[number];
    const pause = { server: name, from: Date.now(), to: Infinity };
    this.pauses.push(pause);
    child.signal('SIGSTOP');
    return () => {
      pause.to = Date.now();
      child.signal('SIGCONT');
    };
  }

  #clientsMayAsk() {
    return this.#places.filter(({ state, role }) => state === 'up' && role !== 'worker');
  }

  async #launch(place) {
    const { folder } = this.#options;
    place.state = 'starting';
    place.name = `s${place.number}x${this.#starts++}`;
    place.port = await freePort();
    const ways = { database: await wayOf(place, 'database'), redis: await wayOf(place, 'redis') };
    const env = await settingsOf(place, { ...this.#options, size: this.size, ways });
    const log = await open(join(folder, `${place.name}.log`), 'a');
    const child = new Child([ENTRY], { ipc: false, env, output: log.fd });
    place.child = child;
    if (place.state !== 'starting') child.signal('SIGKILL'); // it was killed before it was there
    await log.close();
    void child.exit().then((end) => {
      if (place.child === child && place.state === 'up') this.#tellEnd(place, end);
    });
  }

  #tellEnd({ name, child }, { code, signal }) {
    if (code === 0) return;
    this.odd_ends.push(`${name} ended with ${code ?? signal}: ${child.errors.trim()}`);
  }
}

/** Its address of the `database` or of `redis`, through its gate; undefined if there is none. */
async function wayOf({ targets, gates }, to) {
  if (!targets[to]) return undefined;
  const url = new URL(targets[to]);
  gates[to] ??= new Gate({ host: url.hostname, port: Number(url.port || DEFAULT_PORTS[to]) });
  url.host = `127.0.0.1:${await gates[to].listen()}`;
  return url.href;
}
