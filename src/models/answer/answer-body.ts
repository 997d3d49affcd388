import { BadResponse, LineTooLong, StreamedError } from './answer-errors.js';
import { withArgumentTexts } from './argument-texts.js';
import type { TurnFold } from './turn-fold.js';
import { MESSAGE_LIMITS, parseBounded } from '../../kernel/bounded-json.js';
import { isObject } from '../../kernel/json.js';
import { StringDecoder } from 'node:string_decoder';
import { createParser, type EventSourceParser } from 'eventsource-parser';

const MAX_CHARS = 8 * 1024 * 1024;
const SAMPLE_CHARS = 1_000;
/** Lines without an event between them: the parser makes an error of each. */
const MAX_STRANGE_LINES = 1_000;
/** The start of an event stream: a comment or a field. */
const EVENT_LINE = /^\s*(:|(data|event|id|retry):)/;

/** The body of an answer while it is received. */
export interface AnswerBody {
  /** True if the server has said that nothing follows. */
  readonly done: boolean;
  push(chunk: Buffer): void;
  /** @throws BadResponse if the body was not an answer of a model */
  end(): void;
}

/**
 * Detects the kind of body from its first bytes; undefined if there is only white space, which may
 * be dropped. The first character is more reliable than the content type, which many servers get
 * wrong.
 */
export function answerBody(start: Buffer, turn: TurnFold): AnswerBody | undefined {
  const first = start
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()[0];
  if (first === undefined) return undefined;
  if (first === '<') return new WholeBody('HTML', () => false);
  if (first === '{' || first === '[')
    return new WholeBody(turn.refused_json, (json) => acceptWhole(json, turn));
  return new StreamedBody(turn);
}

/** A body of server-sent events. */
class StreamedBody implements AnswerBody {
  private saidDone = false;
  private understood = false;
  private sample = '';
  private readonly decoder: SseDecoder;

  constructor(private readonly turn: TurnFold) {
    this.decoder = new SseDecoder((data, event) => this.onEvent(data, event), MAX_CHARS);
  }

  get done(): boolean {
    return this.saidDone || this.turn.over;
  }

  push(chunk: Buffer): void {
    if (!this.understood)
      this.sample = (this.sample + chunk.toString('utf8')).slice(0, SAMPLE_CHARS);
    this.decoder.push(chunk);
  }

  end(): void {
    this.decoder.end();
    if (!this.understood && !EVENT_LINE.test(this.sample))
      throw new BadResponse('something that is not an event stream', this.sample);
  }

  private onEvent(data: string, event: string | undefined): void {
    this.understood = true;
    if (this.done) return;
    if (data === '[DONE]') this.saidDone = true;
    else if (event === 'error') throw new StreamedError(errorIn(data));
    else this.acceptJson(data);
  }

  private acceptJson(data: string): void {
    const chunk = parse(data);
    if (chunk === undefined) this.turn.traces.add('broken_json', data);
    else this.turn.accept(chunk);
  }
}

/** A body that can be parsed only as a whole. */
class WholeBody implements AnswerBody {
  readonly done = false;
  private readonly chunks: Buffer[] = [];
  private size = 0;

  constructor(
    private readonly what: string,
    private readonly accept: (text: string) => boolean,
  ) {}

  push(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > MAX_CHARS)
      throw new BadResponse(`more than ${MAX_CHARS} bytes of ${this.what}`, this.text());
    this.chunks.push(chunk);
  }

  end(): void {
    const text = this.text();
    if (!this.accept(text)) throw new BadResponse(this.what, text.slice(0, SAMPLE_CHARS));
  }

  private text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
}

/** Accepts the answer of a server that does not stream. Some put an error in a list. */
function acceptWhole(text: string, turn: TurnFold): boolean {
  const json = parse(text.replace(/^\ufeff/, ''));
  const [item] = Array.isArray(json) && json.length === 1 ? (json as unknown[]) : [json];
  return isObject(item) && turn.acceptWhole(item);
}

function errorIn(data: string): unknown {
  const json = parse(data);
  return isObject(json) ? (json.error ?? json) : data;
}

function parse(text: string): unknown {
  try {
    return withArgumentTexts(parseBounded(text, MESSAGE_LIMITS), text);
  } catch {
    return undefined;
  }
}

const BYTE_ORDER_MARK = '\ufeff';

/** Receives one server-sent event: its data and the name from its `event:` line. */
type SseListener = (data: string, event: string | undefined) => void;

/** Decodes server-sent events from raw bytes, split at any position. */
export class SseDecoder {
  private readonly text = new StringDecoder('utf8');
  private readonly parser: EventSourceParser;
  private atStart = true;
  private strangeLines = 0;

  constructor(listener: SseListener, maxChars: number) {
    this.parser = createParser({
      onEvent: ({ data, event }) => {
        this.strangeLines = 0;
        listener(data, event);
      },
      onError: ({ type, line = '' }) => {
        if (++this.strangeLines > MAX_STRANGE_LINES)
          throw new BadResponse(
            'something that is not an event stream',
            line.slice(0, SAMPLE_CHARS),
          );
        if (type === 'max-buffer-size-exceeded') throw new LineTooLong(maxChars);
      },
      maxBufferSize: maxChars,
    });
  }

  /** @throws LineTooLong, BadResponse, and any error of the listener */
  push(chunk: Buffer): void {
    this.feed(this.text.write(chunk));
  }

  /** Ends the input: emits a last event that is not followed by an empty line. */
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
