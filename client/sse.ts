import { MAX_TEXT, tooLarge } from './http.js';

/** Event as it came over the wire. */
export interface Frame {
  /** The cursor after it; empty if the server has sent none. */
  readonly id: string;
  /** Its name; empty if it has none. */
  readonly event: string;
  /** JSON. */
  readonly data: string;
}

const LINE_END = /\r\n|\r|\n/;

/** Reads `text/event-stream` from text that arrives in pieces, wherever they are cut. */
export class SseParser {
  /** The last reconnection delay that the server has asked for, in milliseconds. */
  retry: number | undefined;
  private id = '';
  private event = '';
  private data: string[] = [];
  /** The line so far, without its end. */
  private line: string[] = [];
  private endsInCr = false;
  private isFirst = true;
  /** Size of the frame so far, in UTF-16 code units. */
  private size = 0;

  /**
   * The frames that this piece completes. An unfinished one is kept, and lost with the stream.
   * @throws ParleyError `too_large`
   */
  push(piece: string): Frame[] {
    if (piece === '') return [];
    let text = piece;
    if (this.endsInCr && text.startsWith('\n')) text = text.slice(1);
    if (this.isFirst && text.startsWith('\uFEFF')) text = text.slice(1);
    this.isFirst = false;
    this.endsInCr = piece.endsWith('\r');
    const lines = text.split(LINE_END);
    const rest = lines.pop()!;
    this.size += piece.length;
    const frames = lines.map((line) => this.take(line)).filter((frame) => frame !== undefined);
    if (this.size > MAX_TEXT) throw tooLarge(200);
    if (rest !== '') this.line.push(rest);
    return frames;
  }

  private take(end: string): Frame | undefined {
    const line = this.line.join('') + end;
    this.line = [];
    if (line === '') return this.finish();
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') this.data.push(value);
    if (name === 'event') this.event = value;
    if (name === 'id' && !value.includes('\0')) this.id = value;
    if (name === 'retry' && /^\d+$/.test(value)) this.retry = Number(value);
    return undefined;
  }

  private finish(): Frame | undefined {
    const { id, event, data } = this;
    [this.size, this.event, this.data] = [0, '', []];
    return data.length === 0 ? undefined : { id, event, data: data.join('\n') };
  }
}
