import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Child } from '../bench/child.mjs';
import { freePort, untilReady } from '../bench/server.mjs';
import { Gate } from './gate.mjs';
import { LEASE_MS, LONE_LEASE_MS } from './times.mjs';

const ENTRY = fileURLToPath(new URL('server/main.mjs', import.meta.url));
const POLL_MS = 20;
/** However busy the machine is. */
const READY_MS = 300_000;
/** What a machine with nothing else to do takes. */
const SWIFT_MS = 1_500;
const MAX_SLOWNESS = 8;
const TIMES = {
  HEARTBEAT_MS: '250',
  PARK_AFTER_MS: '150',
  SHUTDOWN_GRACE_MS: '6000',
};

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

  /** `effects` is the file that the tools write to. */
  constructor({ size, store, model, effects, folder }) {
    this.#options = { store, model, effects, folder };
    this.#places = Array.from({ length: size }, (_, number) => ({ number, state: 'down' }));
  }

  get size() {
    return this.#places.length;
  }

  /** How many times as long as elsewhere everything takes on this machine, by the last start of a server. */
  get slowness() {
    return Math.min(Math.max(Math.round(this.#ready_ms / SWIFT_MS), 1), MAX_SLOWNESS);
  }

  pid(number) {
    return this.#places[number].child.pid;
  }

  /** What its way to the database leads through, if it has one. */
  gate(number) {
    return this.#places[number].gate;
  }

  /** The address of one that listens, as far as we know; waits until there is one. */
  async url(random) {
    for (;;) {
      const up = this.#places.filter(({ state }) => state === 'up');
      if (up.length > 0) return `http://127.0.0.1:${random.pick(up).port}`;
      await delay(POLL_MS);
    }
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
    for (const { gate } of this.#places) gate?.close();
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

  async #launch(place) {
    const { store, model, effects, folder } = this.#options;
    place.state = 'starting';
    place.name = `s${place.number}x${this.#starts++}`;
    place.port = await freePort();
    const dataDir =
      this.size > 1 ? join(store.env.DATA_DIR, `p${place.number}`) : store.env.DATA_DIR;
    await mkdir(dataDir, { recursive: true });
    const log = await open(join(folder, `${place.name}.log`), 'a');
    const env = {
      ...store.env,
      ...TIMES,
      LEASE_TTL_MS: String(this.size > 1 ? LEASE_MS : LONE_LEASE_MS),
      DATABASE_URL: await this.#databaseOf(place),
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: String(place.port),
      MODEL: 'openai/chaos',
      OPENAI_BASE_URL: `http://127.0.0.1:${model.port}/${place.name}/v1`,
      OPENAI_API_KEY: '',
      CHAOS_EFFECTS: effects,
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
    };
    const child = new Child([ENTRY], { ipc: false, env, output: log.fd });
    place.child = child;
    await log.close();
    void child.exit().then((end) => {
      if (place.child === child && place.state === 'up') this.#tellEnd(place, end);
    });
  }

  /** The way through its gate. */
  async #databaseOf(place) {
    const { store } = this.#options;
    if (!store.url) return '';
    const url = new URL(store.url);
    place.gate ??= new Gate({ host: url.hostname, port: Number(url.port || 5432) });
    place.gatePort ??= await place.gate.listen();
    url.host = `127.0.0.1:${place.gatePort}`;
    return url.href;
  }

  #tellEnd({ name, child }, { code, signal }) {
    if (code === 0) return;
    this.odd_ends.push(`${name} ended with ${code ?? signal}: ${child.errors.trim()}`);
  }
}
