import type { IncomingMessage } from 'node:http';
import type { EventQueue } from './event-queue.js';
import { answerBody, type AnswerBody } from './answer-body.js';
import type { TurnFold } from './turn-fold.js';
import type { ErrorTranslator } from '../http/error-translator.js';

/**
 * Time that a server has to end the response after the last event, in milliseconds, so that the
 * connection can be reused. Some servers keep it open.
 */
const LINGER_MS = 1_000;

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
  private settled = false;
  private resolve = (): void => {};
  private reject = (_error: unknown): void => {};

  constructor(
    private readonly incoming: IncomingMessage,
    private readonly options: AnswerReaderOptions,
  ) {
    this.timer = this.watch();
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
    clearTimeout(this.timer);
    this.incoming.pause();
  }

  resume(): void {
    if (this.settled) return;
    this.timer = this.watch();
    this.incoming.resume();
  }

  private watch(): NodeJS.Timeout {
    return setTimeout(() => this.attempt(() => this.onSilence()), this.options.timeout_ms);
  }

  private onData(chunk: Buffer): void {
    this.timer.refresh();
    this.body ??= answerBody(chunk, this.options.turn);
    this.body?.push(chunk);
    if (this.body?.done) this.complete();
    this.options.events.flush();
  }

  private onEnd(): void {
    this.body?.end();
    if (!this.options.turn.finished) throw this.options.errors.cutOff();
    this.complete();
  }

  private onCutOff(error?: unknown): void {
    if (!this.options.turn.finished) throw this.options.errors.cutOff(error);
    this.complete();
  }

  private onSilence(): void {
    if (!this.options.turn.finished) throw this.options.errors.timeout();
    this.complete();
  }

  private complete(): void {
    this.options.turn.complete();
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
    clearTimeout(this.timer);
  }

  private letEnd(): void {
    if (this.incoming.closed || this.incoming.readableEnded) return;
    const timer = setTimeout(() => this.incoming.destroy(), LINGER_MS);
    this.incoming.once('close', () => clearTimeout(timer));
    this.incoming.resume();
  }
}
