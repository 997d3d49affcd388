import { AnswerReader } from '../answer/answer-reader.js';
import type { ErrorTranslator } from './error-translator.js';
import { EventQueue, type EventSource } from '../answer/event-queue.js';
import type { Scrubber } from './scrubber.js';
import { SocketResponse } from './socket-response.js';
import type { TurnFold } from '../answer/turn-fold.js';

export interface ModelCallOptions {
  readonly errors: ErrorTranslator;
  readonly scrubber: Scrubber;
  readonly timeout_ms: number;
  /** Maximum number of characters of text, thinking and arguments together. */
  readonly max_turn_chars: number;
}

/** One turn of a vendor's model, from the request to the last event. */
export abstract class ModelCall implements EventSource {
  readonly events = new EventQueue(this);
  private readonly aborter = new AbortController();
  private reader: AnswerReader | undefined;

  constructor(
    private readonly limits: ModelCallOptions,
    private readonly signal: AbortSignal,
  ) {}

  /** Never rejects: an error ends `events`. */
  async run(): Promise<void> {
    const abort = (): void => this.abort();
    this.signal.addEventListener('abort', abort, { once: true });
    try {
      this.signal.throwIfAborted();
      await this.answer(this.aborter.signal);
      this.events.end();
    } catch (error) {
      this.events.fail(
        this.signal.aborted ? this.signal.reason : this.limits.errors.translate(error),
      );
    } finally {
      this.signal.removeEventListener('abort', abort);
    }
  }

  pause(): void {
    this.reader?.pause();
  }

  resume(): void {
    this.reader?.resume();
  }

  stop(): void {
    this.aborter.abort();
  }

  /**
   * Sends the request and reads until the turn is complete. `stopped` aborts when the result is no
   * longer needed.
   */
  protected abstract answer(stopped: AbortSignal): Promise<void>;

  /** Reads one response into the turn. */
  protected async read(response: Response, turn: TurnFold): Promise<void> {
    if (!(response instanceof SocketResponse))
      throw new TypeError('The client did not use the socket fetch');
    const { errors, timeout_ms } = this.limits;
    const { events } = this;
    this.reader = new AnswerReader(response.incoming, { turn, events, errors, timeout_ms });
    await this.reader.read();
  }

  private abort(): void {
    this.events.fail(this.signal.reason);
    this.stop();
  }
}
