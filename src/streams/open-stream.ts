import type { ServerResponse } from 'node:http';
import type { MessageEvent } from '@nestjs/common';
import type { Observer } from 'rxjs';
import { clientPause } from '../kernel/client-pause.js';
import { WriteCoalescing } from './write-coalescing.js';

const COMMENT: MessageEvent = { comment: '' };

/**
 * Passes the messages of one stream on. One object and no chain of operators, as a process has
 * thousands of streams that are idle.
 */
export class OpenStream implements Observer<MessageEvent> {
  private isFirst = true;
  private readonly writes: WriteCoalescing;

  constructor(
    private readonly reader: Observer<MessageEvent>,
    private readonly response: ServerResponse,
    private readonly heartbeat: () => MessageEvent | undefined,
  ) {
    this.writes = new WriteCoalescing(response);
  }

  /** The reconnection hint goes with the first message: a separate one would be given an id. */
  next(message: MessageEvent): void {
    this.write(this.isFirst ? { ...message, retry: clientPause() } : message);
    this.isFirst = false;
  }

  error(error: unknown): void {
    this.reader.error(error);
  }

  complete(): void {
    this.reader.complete();
  }

  /** A reader that takes nothing gets none. */
  beat(): void {
    if (this.response.writableNeedDrain) return;
    const message = this.heartbeat();
    if (message) this.next(message);
    else this.write(COMMENT);
  }

  private write(message: MessageEvent): void {
    this.writes.begin();
    this.reader.next(message);
  }
}
