import { MARK } from './stamp.mjs';

/** What the lines of a stream are worth looking at. */
const DELTA_EVENT = 'event: text_delta';
const END_EVENT = 'event: interaction_complete';
const COMPLETED = '"status":"COMPLETED"';

/**
 * Counts the model's deltas in one stream by their marks, line by line and without reading any
 * JSON, which would take the CPU of the server that is measured. In the server's streams only
 * `text_delta` events count, not the records that repeat their text; in the proxy's every line
 * does.
 */
export class Tally {
  deltas = 0;
  frames = 0;
  bytes = 0;
  /** The stream has told that all went well. */
  completed = false;
  #rest = '';
  #counts;
  #ends = false;

  /**
   * `onDelta` gets each delta as the text that it is in, and where in it what follows the mark
   * begins.
   */
  constructor({ isProxy, onDelta }) {
    this.isProxy = isProxy;
    this.onDelta = onDelta;
    this.#counts = isProxy;
  }

  push(chunk) {
    this.bytes += chunk.length;
    const text = this.#rest + chunk.latin1Slice();
    let start = 0;
    for (let end; (end = text.indexOf('\n', start)) !== -1; start = end + 1)
      if (end > start) this.#line(text, start, end);
    this.#rest = text.slice(start);
  }

  #line(text, start, end) {
    if (text.startsWith('data: ', start)) this.#data(text, start, end);
    else if (!this.isProxy && text.startsWith('event: ', start)) {
      this.#counts = text.startsWith(DELTA_EVENT, start);
      this.#ends = text.startsWith(END_EVENT, start);
    }
  }

  #data(text, start, end) {
    if (this.#ends) this.completed = text.slice(start, end).includes(COMPLETED);
    else if (this.isProxy && text.startsWith('[DONE]', start + 6)) this.completed = true;
    if (!this.#counts) return;
    this.frames++;
    for (let at = start; (at = text.indexOf(MARK, at)) !== -1 && at < end; at++) {
      this.deltas++;
      this.onDelta?.(text, at + 1);
    }
  }
}
