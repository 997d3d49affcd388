import { SseParser } from '../../dist/client/sse.js';

/** One connection to the stream of an interaction, for a strict reader that may have several. */
export class StreamReader {
  heartbeats = 0;
  #bytes;
  #parser = new SseParser();
  #reader;

  constructor(response, reader) {
    this.#bytes = response.body.pipeThrough(new TextDecoderStream()).getReader();
    this.#reader = reader;
  }

  /** Reads until the stream ends, or until `isEnough()`; then it may be read on. */
  async read(isEnough = () => false) {
    while (!isEnough()) {
      const { done, value } = await this.#bytes.read();
      if (done) return;
      if (/^:/m.test(value)) this.heartbeats++;
      for (const { id, event, data } of this.#parser.push(value))
        this.#reader.read({ id, event, data: JSON.parse(data) });
    }
  }
}
