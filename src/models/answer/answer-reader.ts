import type { Readable } from 'node:stream';
import type { EventQueue } from './event-queue.js';
import { answerBody, type AnswerBody } from './answer-body.js';
import type { TurnFold } from './turn-fold.js';
import { emptyAnswer, StreamedError } from '../errors/answer-errors.js';
import { BadCoding } from '../../net/decoded.js';
import { hasReason } from '../errors/said.js';
import type { ErrorTranslator } from '../errors/error-translator.js';

/**
 * Time that a server has to end the response after the last event, in milliseconds, so that the
 * connection can be reused. Some servers keep it open.
 */
const LINGER_MS = 1_000;
/**
 * Time that a server has for the usage and the end of the stream after the reason for which the
 * turn ended, in milliseconds. Some keep the connection open without another word.
 */
const GRACE_MS = 1_000;
/** A server that only shows that it lives may do so for this many idle timeouts. */
const MAX_IDLE_TIMEOUTS = 5;

export interface AnswerReaderOptions {
  readonly turn: TurnFold;
  readonly events: EventQueue;
  readonly errors: ErrorTranslator;
  /** Idle timeout of the server, in milliseconds. */
  readonly timeout_ms: number;
}

/** Reads an answer from its socket into the event queue, one network read at a time. */
export class AnswerReader {
  private body: AnswerBody | undefined;
  private timer: NodeJS.Timeout;
  /** Ends a turn in which the server sends only comments. */
  private progress: NodeJS.Timeout;
  private pushed = 0;
  private inGrace = false;
  private settled = false;
  private resolve = (): void => {};
  private reject = (_error: unknown): void => {};

  constructor(
    private readonly incoming: Readable,
    private readonly options: AnswerReaderOptions,
  ) {
    this.timer = this.watch();
    this.progress = this.watchProgress();
  }

  /** Resolves when the turn is complete. */
  read(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.incoming.on('data', (chunk: Buffer) => this.attempt(() => this.onData(chunk)));
      this.incoming.on('end', () => this.attempt(() => this.onEnd()));
      this.incoming.on('error', (error) => this.attempt(() => this.onCutOff(error)));
      this.incoming.on('close', () => this.attempt(() => this.onCutOff()));
      if (this.incoming.destroyed) this.attempt(() => this.onCutOff());
    });
  }

  /** Back-pressure: the consumer lags, so the idle timeout is suspended until `resume`. */
  pause(): void {
    if (this.settled) return;
    this.stopTimers();
    this.incoming.pause();
  }

  resume(): void {
    if (this.settled) return;
    this.timer = this.watch();
    this.progress = this.watchProgress();
    this.incoming.resume();
  }

  private watch(): NodeJS.Timeout {
    const ms = this.inGrace ? GRACE_MS : this.options.timeout_ms;
    return setTimeout(() => this.attempt(() => this.onSilence()), ms);
  }

  private watchProgress(): NodeJS.Timeout {
    const ms = MAX_IDLE_TIMEOUTS * this.options.timeout_ms;
    return setTimeout(() => this.attempt(() => this.onSilence()), ms);
  }

  private onData(chunk: Buffer): void {
    this.body ??= answerBody(chunk, this.options.turn);
    this.body?.push(chunk);
    if (this.body?.done) return this.onDone();
    this.rewatch();
    this.options.events.flush();
  }

  /** Any byte shows that the server lives. After the turn has ended only an event does. */
  private rewatch(): void {
    const { events, turn } = this.options;
    const hasProgress = events.pushed !== this.pushed;
    this.pushed = events.pushed;
    if (hasProgress) this.progress.refresh();
    if (turn.finished !== this.inGrace) {
      this.inGrace = turn.finished;
      clearTimeout(this.timer);
      this.timer = this.watch();
    } else if (!this.inGrace || hasProgress) this.timer.refresh();
  }

  /** An end without a reason is none: servers that break in the middle close their streams so. */
  private onDone(): void {
    const { turn, errors } = this.options;
    if (turn.finished) return this.complete();
    if (turn.isEmpty) throw this.unfinished() ?? emptyAnswer();
    throw this.unfinished() ?? errors.cutOff(undefined, { hasBegun: true });
  }

  private onEnd(): void {
    this.body?.end();
    this.onCutOff(undefined, { hasBegun: this.body !== undefined });
  }

  /** The connection may have taken the answer with it: it counts as begun unless it ended whole. */
  private onCutOff(error?: unknown, { hasBegun } = { hasBegun: true }): void {
    if (error instanceof BadCoding) throw error;
    const { turn, errors } = this.options;
    if (!turn.finished) throw this.unfinished() ?? errors.cutOff(error, { hasBegun });
    this.complete();
  }

  private onSilence(): void {
    if (!this.options.turn.finished) throw this.unfinished() ?? this.options.errors.timeout();
    this.complete();
  }

  /** The server's text in place of an answer, or of the rest of one, as an error. */
  private unfinished(): StreamedError | undefined {
    const { stray, isEmpty } = this.options.turn;
    if (stray === undefined || !(isEmpty || hasReason(stray))) return undefined;
    return new StreamedError(stray);
  }

  private complete(): void {
    this.options.turn.complete();
    this.options.events.flush();
    this.settle();
    this.resolve();
    this.letEnd();
  }

  private attempt(step: () => void): void {
    if (this.settled) return;
    try {
      step();
    } catch (error) {
      this.settle();
      this.incoming.destroy();
      this.reject(error);
    }
  }

  private settle(): void {
    this.settled = true;
    this.stopTimers();
  }

  private stopTimers(): void {
    clearTimeout(this.timer);
    clearTimeout(this.progress);
  }

  private letEnd(): void {
    if (this.incoming.closed || this.incoming.readableEnded) return;
    const timer = setTimeout(() => this.incoming.destroy(), LINGER_MS);
    this.incoming.once('close', () => clearTimeout(timer));
    this.incoming.resume();
  }
}
