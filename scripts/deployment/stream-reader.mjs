import { createParser } from 'eventsource-parser';
import { Reader } from '../../chaos/reader.mjs';

/**
 * A client that reads one interaction, over as many connections as it takes, and believes nothing
 * (`faults`).
 */
export class StreamReader extends Reader {
  heartbeats = 0;
  /** What of the answer has come as deltas. */
  said = '';
  #connections = new WeakMap();

  /** Reads until the stream ends, or until `isEnough()`; then it may be read on. */
  async read(response, isEnough = () => false) {
    const { bytes, parser } = this.#connectionOf(response);
    while (!isEnough()) {
      const { done, value } = await bytes.read();
      if (done) return;
      parser.feed(value);
    }
  }

  find(type) {
    return this.records.find((record) => record.type === type);
  }

  take(frame) {
    super.take(frame);
    if (frame.data.type === 'TEXT_DELTA') this.said += frame.data.delta;
  }

  #connectionOf(response) {
    const known = this.#connections.get(response);
    if (known) return known;
    const connection = {
      bytes: response.body.pipeThrough(new TextDecoderStream()).getReader(),
      parser: createParser({
        onEvent: ({ id, event, data }) => this.take({ id, event, data: JSON.parse(data) }),
        onComment: () => this.heartbeats++,
      }),
    };
    this.#connections.set(response, connection);
    return connection;
  }
}
