import { BadResponse, LineTooLong, StreamedError } from '../errors/answer-errors.js';
import { jsonEvents } from './json-events.js';
import type { TurnFold } from './turn-fold.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { isObject } from '../../kernel/json/json.js';
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
    this.decoder = new SseDecoder(
      {
        event: (data, event) => this.onEvent(data, event),
        strange: (line) => this.onStrange(line),
      },
      MAX_CHARS,
    );
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
    if (isDone(data)) this.saidDone = true;
    else if (event === 'error') throw new StreamedError(errorIn(data));
    else this.acceptJson(data);
  }

  /** Some servers write events without `data:`. */
  private onStrange(line: string): void {
    if (this.done) return;
    if (line.startsWith('{')) this.acceptJson(line);
    else this.turn.traces.add('strange_line', line);
  }

  private acceptJson(data: string): void {
    const { values, broken } = jsonEvents(data);
    for (const value of values) this.turn.accept(value);
    for (const text of broken) {
      if (isDone(text)) this.saidDone = true;
      else if (/^[{[]/.test(text)) this.turn.traces.lost('broken_json', text);
      else this.turn.traces.add('broken_json', text);
    }
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
    if (!this.accept(text)) throw new BadResponse(this.what, cutText(text, SAMPLE_CHARS));
  }

  private text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
}

/**
 * Accepts the answer of a server that does not stream. Some put an error in a list, and some send
 * events as lines of JSON, or as a list of it.
 */
function acceptWhole(text: string, turn: TurnFold): boolean {
  const { values, broken } = jsonEvents(text.replace(/^\ufeff/, ''));
  const [item] = values;
  if (values.length + broken.length === 1) return isObject(item) && turn.acceptWhole(item);
  for (const value of values) turn.accept(value);
  for (const part of broken.filter((each) => !isDone(each))) turn.traces.lost('broken_json', part);
  return turn.finished || !turn.isEmpty;
}

function errorIn(data: string): unknown {
  const [json] = jsonEvents(data).values;
  return isObject(json) ? (json.error ?? json) : data;
}

function isDone(data: string): boolean {
  return /^\s*"?\[DONE\]"?\s*$/i.test(data);
}

const BYTE_ORDER_MARK = '\ufeff';
/** Some servers begin each event with a mark. */
const MARKED_LINE = /([\r\n])\ufeff/g;

interface SseListener {
  /** Receives one server-sent event: its data and the name from its `event:` line. */
  readonly event: (data: string, name: string | undefined) => void;
  /** Receives a line that is no part of an event. */
  readonly strange?: (line: string) => void;
}

/** Decodes server-sent events from raw bytes, split at any position. */
export class SseDecoder {
  private readonly text = new StringDecoder('utf8');
  private readonly parser: EventSourceParser;
  private atLineStart = true;
  private strangeLines = 0;

  constructor(listener: SseListener, maxChars: number) {
    this.parser = createParser({
      onEvent: ({ data, event }) => {
        this.strangeLines = 0;
        listener.event(data, event);
      },
      onError: ({ type, line = '' }) => {
        if (++this.strangeLines > MAX_STRANGE_LINES)
          throw new BadResponse(
            'something that is not an event stream',
            cutText(line, SAMPLE_CHARS),
          );
        if (type === 'max-buffer-size-exceeded') throw new LineTooLong(maxChars);
        listener.strange?.(line);
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
    const isMarked = this.atLineStart && text.startsWith(BYTE_ORDER_MARK);
    this.atLineStart = /[\r\n]$/.test(text);
    this.parser.feed((isMarked ? text.slice(1) : text).replaceAll(MARKED_LINE, '$1'));
  }
}
