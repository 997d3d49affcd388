import { Agent, request as ask } from 'node:http';
import { randomUUID } from 'node:crypto';
import { SseParser } from '../../dist/client/sse.js';
import { StrictReader } from '../../dist/client/strict-reader.js';
import { ageOf, MARK } from '../stamp.mjs';

const BUSY = 503;
/** As the server's `retry:` says. */
const RETRY_MS = 1_000;
const agent = new Agent({ keepAlive: true, maxFreeSockets: 1024 });

/** One reader of one interaction, over however many connections; checks all that it is sent. */
export class Follower {
  /** All that was wrong is in its `faults`. */
  reader = new StrictReader();
  /** How often the server ended its connection, or was too busy for it. */
  retries = 0;
  #path = `/chats/chat_${randomUUID().replaceAll('-', '')}/interactions`;
  #request;
  #isLeaving = false;
  #waiting;
  #resolve;

  constructor() {
    /** Resolves when the interaction has ended, or something was wrong. */
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** Starts the interaction. Resolves with its first delta. */
  start(port, model) {
    const body = { user_message: 'Go', model: `openai/${model}`, on_disconnect: 'continue' };
    this.#open({ port, method: 'POST', path: this.#path, body: JSON.stringify(body) });
    return this.#delta(() => true);
  }

  drop() {
    this.#isLeaving = true;
    this.#request?.destroy();
  }

  /**
   * Goes on after what it has. Resolves, with milliseconds, when it has all that the model, with a
   * delta every `interval_ms`, had said by now.
   */
  async back(port, interval_ms) {
    const begun = performance.now();
    this.#isLeaving = false;
    this.#goOn(port);
    await this.#delta((text, at) => ageOf(text, at) <= performance.now() - begun + interval_ms);
    return performance.now() - begun;
  }

  #goOn(port) {
    const [{ interaction_id }] = this.reader.records;
    const path = `${this.#path}/${interaction_id}/events`;
    this.#open({ port, path, headers: { 'last-event-id': this.reader.cursor } });
  }

  /** Resolves when a delta that `isSo` has come, or the end. */
  async #delta(isSo) {
    const comes = new Promise((resolve) => (this.#waiting = { isSo, resolve }));
    await Promise.race([comes, this.ended]);
  }

  #open({ port, method = 'GET', path, body, headers }) {
    const all = { 'content-type': 'application/json', accept: 'text/event-stream', ...headers };
    const parser = new SseParser();
    const options = { host: '127.0.0.1', port, method, path, headers: all, agent };
    const request = ask(options, (response) => {
      const { statusCode: status } = response;
      if (status !== 200 && status !== BUSY) this.#fail(`was answered with ${status}`);
      response.setEncoding('utf8');
      response.on('data', (text) => {
        if (this.#request === request) for (const frame of parser.push(text)) this.#take(frame);
      });
      response.on('close', () => this.#closed(request, port));
    });
    request.on('error', () => this.#closed(request, port));
    request.end(body);
    this.#request = request;
  }

  #take({ id, event, data }) {
    if (this.#isLeaving) return;
    this.reader.read({ id, event, data: JSON.parse(data) });
    const at = event === 'text_delta' ? data.lastIndexOf(MARK) + 1 : 0;
    if (at > 0 && this.#waiting?.isSo(data, at)) this.#waiting.resolve();
    if (this.reader.done || this.reader.faults.length > 0) this.#resolve();
  }

  /**
   * A server that is too busy says so, or ends the stream: its reader comes back, as any client
   * does.
   */
  #closed(request, port) {
    if (this.#request !== request || this.#isLeaving || this.reader.done) return;
    if (this.reader.faults.length > 0) return;
    if (this.reader.records.length === 0) return this.#fail('interaction could not be started');
    this.#request = undefined;
    this.retries++;
    setTimeout(() => this.#isLeaving || this.#goOn(port), RETRY_MS);
  }

  #fail(what) {
    this.reader.fault(what);
    this.#resolve();
  }
}
