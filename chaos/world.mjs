import { setTimeout as delay } from 'node:timers/promises';
import { send } from './client.mjs';

const AGAIN_MS = 40;

/** What the clients know: all that they asked for, and how it was answered. */
export class World {
  /**
   * By name: `{ name, chat, edits, mode, fails, ids }`, the ids that its start was answered with.
   */
  plans = new Map();
  /** By id: `{ id, chat, plan, readers }`. */
  interactions = new Map();
  /**
   * `{ approval_id, approved, reason, modified_input, status }` of each attempt; no status: not
   * known what came of it.
   */
  decisions = [];
  /** `{ request_id, answer, status }` likewise. */
  answers = [];
  /** `{ id, status, body, at }` of each cancel that was answered; `at` is when. */
  cancels = [];
  faults = [];
  /** Nothing new is begun any more. */
  isClosing = false;
  /** Everything has ended: nobody is asked any more. */
  isOver = false;
  #names = 0;

  constructor(fleet) {
    this.fleet = fleet;
  }

  /** Number of records that clients have got. */
  get received() {
    const readers = [...this.interactions.values()].flatMap((each) => each.readers);
    return readers.reduce((sum, { records }) => sum + records.length, 0);
  }

  fault(what) {
    this.faults.push(what);
  }

  nextName(prefix) {
    return `${prefix}${this.#names++}`;
  }

  plan(wanted) {
    const plan = { name: this.nextName('p'), ...wanted, ids: new Set() };
    this.plans.set(plan.name, plan);
    return plan;
  }

  /** The plan that a message of the user's tells of. */
  planOf(message) {
    return this.plans.get(/^Plan (\S+):/.exec(message)?.[1]);
  }

  /** The interaction that a plan has become. */
  know(id, plan) {
    plan.ids.add(id);
    const { chat } = plan;
    if (!this.interactions.has(id)) this.interactions.set(id, { id, chat, plan, readers: [] });
    return this.interactions.get(id);
  }

  /** One try, at a server of chance. Undefined when nobody knows what came of it. */
  async try(path, { random, ...options }) {
    const url = await this.fleet.url(random);
    try {
      const answer = await send(`${url}${path}`, options);
      return answer.status >= 500 ? undefined : answer;
    } catch {
      return undefined;
    }
  }

  /** For what may be asked twice: again until there is an answer. */
  async ask(path, options) {
    for (;;) {
      const answer = await this.try(path, options);
      if (answer) return answer;
      await delay(AGAIN_MS);
    }
  }
}
