import type { ServerResponse } from 'node:http';
import { afterTick } from '../kernel/async/after-tick.js';

/**
 * Write coalescing: all text that is written to a response in one tick becomes one HTTP chunk and
 * one write to the socket. Nest writes messages one by one, and Node frames each write as a chunk,
 * in four writes to the socket.
 */
export class WriteCoalescing {
  private text = '';
  private isBegun = false;
  private readonly writeNow: (text: string) => boolean;

  /** Replaces `write` and `end` of the response, which takes text only from then on. */
  constructor(private readonly response: ServerResponse) {
    const end = response.end.bind(response);
    this.writeNow = response.write.bind(response);
    response.write = (text: string) => this.add(text);
    response.end = ((...rest: Parameters<typeof end>) => {
      this.flush();
      return end(...rest);
    }) as typeof end;
  }

  /** Also the headers, if they are sent later in this tick, are part of the write. */
  begin(): void {
    const { socket } = this.response;
    if (this.isBegun || !socket) return;
    this.isBegun = true;
    socket.cork();
    afterTick(() => {
      this.isBegun = false;
      this.flush();
      socket.uncork();
    });
  }

  private add(text: string): boolean {
    this.begin();
    this.text += text;
    const { writableHighWaterMark: most } = this.response;
    if (!this.isBegun || this.text.length >= most) this.flush(); // so that it has to drain
    return !this.response.writableNeedDrain;
  }

  private flush(): void {
    const { text } = this;
    this.text = '';
    if (text !== '') this.writeNow(text);
  }
}
