import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import { EventQueue, type EventSource } from '../wire/event-queue.js';
import { SocketResponse } from '../wire/socket-response.js';
import { AnswerReader } from './answer-reader.js';
import type { ChatClient } from './chat-client.js';
import { ChatTurn } from './chat-turn.js';
import type { ErrorTranslator } from './error-translator.js';
import type { Scrubber } from './scrubber.js';

export interface OpenAiCallOptions {
  readonly client: ChatClient;
  readonly errors: ErrorTranslator;
  readonly scrubber: Scrubber;
  readonly timeout_ms: number;
  readonly max_turn_chars: number;
}

/** One request of one turn, from asking to the last event. */
export class OpenAiCall implements EventSource {
  readonly events = new EventQueue(this);
  private readonly aborter = new AbortController();
  private reader: AnswerReader | undefined;

  constructor(
    private readonly options: OpenAiCallOptions,
    private readonly signal: AbortSignal,
  ) {}

  /** Never rejects: what goes wrong is the end of `events`. */
  async run(body: ChatCompletionCreateParamsStreaming): Promise<void> {
    const abort = (): void => this.abort();
    this.signal.addEventListener('abort', abort, { once: true });
    try {
      this.signal.throwIfAborted();
      await this.answer(body);
      this.events.end();
    } catch (error) {
      this.events.fail(
        this.signal.aborted ? this.signal.reason : this.options.errors.translate(error),
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

  private abort(): void {
    this.events.fail(this.signal.reason);
    this.stop();
  }

  private async answer(body: ChatCompletionCreateParamsStreaming): Promise<void> {
    const { client, errors, scrubber, timeout_ms, max_turn_chars } = this.options;
    const request = client.chat.completions.create(body, { signal: this.aborter.signal });
    const response = await request.asResponse();
    if (!(response instanceof SocketResponse))
      throw new TypeError('The client did not use the socket fetch');
    const turn = new ChatTurn({
      emit: (event) => this.events.push(event),
      scrub: scrubber.scrub,
      max_chars: max_turn_chars,
    });
    this.reader = new AnswerReader(response.incoming, {
      turn,
      events: this.events,
      errors,
      timeout_ms,
    });
    await this.reader.read();
  }
}
