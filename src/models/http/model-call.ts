import { AnswerReader } from '../answer/answer-reader.js';
import type { ErrorTranslator } from '../errors/error-translator.js';
import { EventQueue, type EventSource } from '../answer/event-queue.js';
import type { Scrubber } from '../errors/scrubber.js';
import { SocketResponse } from '../../net/socket-response.js';
import type { TurnFold } from '../answer/turn-fold.js';
import type { ModelEvent, ModelNoticeCode, ModelRequest } from '../model-provider.js';
import { TurnAdaptation } from '../profile/adaptation.js';
import type { Adaptation, AdaptationMemory } from '../profile/adaptation.js';
import { changeFor } from '../profile/refusals.js';
import { ToolWire } from '../schema/tool-wire.js';

export interface ModelCallOptions {
  /** `<provider>/`, for notices. */
  readonly prefix: string;
  /** A digest of the endpoint's URL. */
  readonly endpoint_id: string;
  readonly memory: AdaptationMemory;
  readonly errors: ErrorTranslator;
  readonly scrubber: Scrubber;
  readonly timeout_ms: number;
  /** Maximum number of characters of text, thinking and arguments together. */
  readonly max_turn_chars: number;
}

const SAMPLING = ['temperature', 'top_p'] as const;
/** Names of tools in a notice. */
const MAX_NAMES = 20;

/** A request of a turn, in the form that its endpoint takes. */
export interface AdaptedRequest {
  readonly wire: ToolWire;
  readonly adaptation: Adaptation;
}

/**
 * A turn of a vendor's model, from the request to the last event. A request that the endpoint
 * refuses for its form is changed and sent again, and the change is remembered.
 */
export abstract class ModelCall implements EventSource {
  readonly events = new EventQueue(this);
  private readonly aborter = new AbortController();
  private reader: AnswerReader | undefined;
  /** True once the model has said something. */
  private hasBegun = false;

  constructor(
    private readonly limits: ModelCallOptions,
    private readonly asked: ModelRequest,
    private readonly signal: AbortSignal,
  ) {}

  /** Never rejects: an error ends `events`. */
  async run(): Promise<void> {
    const abort = (): void => this.abort();
    this.signal.addEventListener('abort', abort, { once: true });
    try {
      this.signal.throwIfAborted();
      await this.adapt();
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
  protected abstract answer(request: AdaptedRequest, stopped: AbortSignal): Promise<void>;

  /** The body of the request, to find in it what a refusal names. */
  protected abstract body(request: AdaptedRequest): object;

  /** Hands over an event of the model, with the names that its tools have here. */
  protected emit(wire: ToolWire, event: ModelEvent): void {
    this.hasBegun ||= event.type !== 'trace' && event.type !== 'notice';
    for (const each of wire.inward(event)) this.events.push(each);
  }

  /** Reads one response into the turn. */
  protected async read(response: Response, turn: TurnFold): Promise<void> {
    if (!(response instanceof SocketResponse))
      throw new TypeError('The client did not use the socket fetch');
    const { errors, timeout_ms } = this.limits;
    const { events } = this;
    this.reader = new AnswerReader(response.incoming, { turn, events, errors, timeout_ms });
    await this.reader.read();
  }

  private async adapt(): Promise<void> {
    const adaptation = new TurnAdaptation(this.limits.memory, this.asked.model);
    this.tellDropped(adaptation.current);
    for (;;) {
      const request = this.adapted(adaptation.current);
      try {
        return await this.answer(request, this.aborter.signal);
      } catch (error) {
        if (!this.learn(adaptation, request, error)) throw error;
      }
    }
  }

  private adapted(adaptation: Adaptation): AdaptedRequest {
    const wire = new ToolWire(this.asked, adaptation);
    this.tellLeftOut(wire);
    return { wire, adaptation };
  }

  /** False if the error is none that another form of the request can avoid. */
  private learn(adaptation: TurnAdaptation, request: AdaptedRequest, error: unknown): boolean {
    const fault = this.hasBegun ? undefined : this.limits.errors.refusalIn(error);
    if (!fault) return false;
    const { wire } = request;
    const change = changeFor(
      {
        body: { ...this.body(request) },
        tools: wire.offered,
        tool_names: (wire.request.tools ?? []).map(({ name }) => name),
        fault,
      },
      request.adaptation,
    );
    if (!change || !adaptation.learn(change)) return false;
    const { message } = this.limits.errors.translate(error) as Error;
    const notice = `${message} From now on ${change.description}, and ${this.model} is asked again.`;
    this.notice('model_adapted', change.once ? notice.replace('From now on', 'So') : notice);
    return true;
  }

  /** Options that the model has refused in an earlier turn. */
  private tellDropped({ dropped }: Adaptation): void {
    const names = SAMPLING.filter((name) => this.asked[name] !== undefined && dropped.has(name));
    if (names.length > 0)
      this.notice('model_adapted', `${this.model} does not take ${names.join(' and ')}: left out.`);
  }

  private tellLeftOut({ left_out, offered }: ToolWire): void {
    if (left_out.length === 0) return;
    const names = left_out.slice(0, MAX_NAMES).map(({ name }) => name);
    const more =
      left_out.length > names.length ? ` and ${left_out.length - names.length} more` : '';
    this.notice(
      'tools_left_out',
      `${this.model} gets ${offered.length} of ${offered.length + left_out.length} tools, as its API takes no others. Left out: ${names.join(', ')}${more}.`,
    );
  }

  private notice(code: ModelNoticeCode, message: string): void {
    this.events.push({ type: 'notice', code, message });
    this.events.flush();
  }

  private get model(): string {
    return `${this.limits.prefix}${this.asked.model}`;
  }

  private abort(): void {
    this.events.fail(this.signal.reason);
    this.stop();
  }
}
