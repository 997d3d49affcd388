import { StringDecoder } from 'node:string_decoder';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import { LineTooLong } from './line-too-long.js';

const BYTE_ORDER_MARK = '\ufeff';

/** Receives one server-sent event: its data, and the name that its `event:` line gave. */
export type SseListener = (data: string, event: string | undefined) => void;

/** Reads server-sent events from raw bytes, however these are cut. */
export class SseDecoder {
  private readonly text = new StringDecoder('utf8');
  private readonly parser: EventSourceParser;
  private atStart = true;

  constructor(listener: SseListener, maxChars: number) {
    this.parser = createParser({
      onEvent: ({ data, event }) => listener(data, event),
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') throw new LineTooLong(maxChars);
      },
      maxBufferSize: maxChars,
    });
  }

  /** @throws LineTooLong; whatever the listener throws */
  push(chunk: Buffer): void {
    this.feed(this.text.write(chunk));
  }

  /** The source has ended: reads a last event that no empty line follows. */
  end(): void {
    this.feed(`${this.text.end()}\n\n`);
  }

  private feed(text: string): void {
    if (text === '') return;
    const isMarked = this.atStart && text.startsWith(BYTE_ORDER_MARK);
    this.atStart = false;
    this.parser.feed(isMarked ? text.slice(1) : text);
  }
}
