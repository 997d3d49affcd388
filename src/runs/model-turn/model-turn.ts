import { Tripwire } from '../../guardrails/tripwire.js';
import { AppError } from '../../kernel/app-error.js';
import type { Entry } from '../../event-log/append/run-log.js';
import type { ModelRequest } from '../../models/model-provider.js';
import type { ModelChain, ResolvedModel } from '../../models/model-registry.js';
import type { Usage } from '../../protocol/interaction.js';
import type { HiddenOf, RecordOf } from '../../protocol/events.js';
import type { AgentIdentity, GenerateOptions, Turn } from '../../agents/agent-context.js';
import { refusedOverflow } from '../context-window/context-overflow.js';
import { calledFor } from './drop-tool-calls.js';
import { describeNext, nextTry } from './retry-policy.js';
import type { Try } from './retry-policy.js';
import type { AgentScope } from '../scope/agent-scope.js';
import { TurnStream } from './turn-stream.js';
import { withinBudget } from '../limits/within-budget.js';
import { showsImages, withoutImages } from './drop-images.js';

/** What is sent, and how many tokens it is thought to have. */
export interface SizedRequest {
  readonly request: ModelRequest;
  readonly tokens: number;
}

export interface ModelTurnInput {
  readonly key: string;
  readonly agent: AgentIdentity;
  readonly options: GenerateOptions;
  /** Whether the turn belongs to the agent's conversation. */
  readonly in_conversation: boolean;
  /** What a model is sent; `refusal`: that it was too long for it, the last time. */
  readonly request: (
    model: ResolvedModel,
    refusal?: AppError,
  ) => Promise<SizedRequest> | SizedRequest;
  /** Written together with the turn when it has ended well, just before it. */
  readonly before?: (turn: TurnStream) => readonly Entry[];
}

const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0 };

/**
 * Asks for one turn, and writes what came of it. While its provider says that this may help it is tried again: at once with the next
 * model of the chain, if nothing was shown yet, else after a while with the same one.
 */
export class ModelTurn {
  private readonly started: number;
  /** That the request was too long for the model, by its own word; told to whoever makes the next one. */
  private refusal: AppError | undefined;
  private wasRefused = false;
  /** The last request. */
  private hasShownImages = false;

  constructor(
    private readonly scope: AgentScope,
    private readonly input: ModelTurnInput,
  ) {
    this.started = scope.services.clock.monotonic();
  }

  /** Resolves when the turn is written, well or not. */
  async ask(): Promise<void> {
    const { scope } = this;
    const chain = this.resolve();
    if (chain instanceof AppError) return this.giveUp(this.newTurn(this.asked), chain);
    const [first, ...others] = chain;
    for (let next: Try | undefined = { model: first, failed: 0, wait_ms: 0 }; next;) {
      const { model, wait_ms }: Try = next;
      if (wait_ms > 0) await scope.services.clock.sleep(wait_ms, scope.signal);
      const turn = this.newTurn(model.name);
      try {
        return await this.tryOnce(turn, model);
      } catch (error) {
        if (scope.signal.aborted || !(error instanceof AppError)) throw error;
        const hasShown = turn.blockIds().length > 0;
        if (!hasShown && this.takeRefusal(error)) continue;
        if (!hasShown && (await this.closeEyes(turn, error))) continue;
        next = nextTry(error, { last: next, hasShown, others });
        await (next ? this.announce(turn, error, next) : this.giveUp(turn, error));
      }
    }
  }

  /** Whether it is worth to ask the same model once more, with less. */
  private takeRefusal(error: AppError): boolean {
    if (error.code !== 'model_context_exceeded' || this.wasRefused) return false;
    this.refusal = error;
    this.wasRefused = true;
    return true;
  }

  /** Whether it is worth to ask once more without images: one of them may be what the provider can't read, and it doesn't say so. */
  private async closeEyes(turn: TurnStream, error: AppError): Promise<boolean> {
    if (error.code !== 'model_refused' || !this.hasShownImages) return false;
    this.scope.shared.isBlind = true;
    const message = `${error.message} ${turn.options.model} is asked once more without the images of tools, which are not shown any more.`;
    await this.scope.append([this.notice('images_refused', message, [])]);
    return true;
  }

  private async tryOnce(turn: TurnStream, model: ResolvedModel): Promise<void> {
    const { scope, input } = this;
    const { refusal } = this;
    this.refusal = undefined;
    const { request: whole, tokens } = await input.request(model, refusal);
    const request = scope.shared.isBlind ? withoutImages(whole) : whole;
    this.hasShownImages = showsImages(request);
    scope.throwIfStopped();
    scope.turns.add(turn);
    try {
      const { finish_reason, usage } = await withinBudget(scope, input.agent.id, (signal) =>
        scope.shared.slots.run(scope.branch ?? scope, signal, () =>
          turn.read(calledFor(request, model.provider.stream(request, signal))),
        ),
      );
      scope.signal.throwIfAborted();
      await this.record(turn, { finish_reason, usage }, tokens);
      scope.turns.delete(turn);
    } finally {
      if (!scope.signal.aborted) scope.turns.delete(turn); // whoever stopped the run records what was shown
    }
  }

  private async record(
    turn: TurnStream,
    { finish_reason, usage }: Pick<Turn, 'finish_reason' | 'usage'>,
    estimated_tokens: number,
  ): Promise<void> {
    const { in_conversation, before, key } = this.input;
    const hidden = { message: turn.message(), in_conversation, estimated_tokens };
    await this.scope.append(
      [
        ...turn.entries((index) => `${key}.${index}`),
        ...(before?.(turn) ?? []),
        this.completing(turn, { finish_reason, usage }, hidden),
      ],
      { usage: this.scope.addUsage(usage) },
    );
  }

  private async giveUp(turn: TurnStream, cause: AppError): Promise<void> {
    const isTooLong = cause.code === 'model_context_exceeded';
    const { code, message } = isTooLong ? refusedOverflow(turn.options.model, cause) : cause;
    const blocks = turn.blockIds();
    const told = cause instanceof Tripwire ? code : 'model_failed';
    const notice = this.notice(told, message, blocks);
    const error = { code, message };
    await this.scope.append([
      ...(blocks.length > 0 && turn.options.visible ? [notice] : []),
      this.completing(turn, { finish_reason: 'error', usage: NO_USAGE, error }, null),
    ]);
  }

  private async announce(turn: TurnStream, error: AppError, next: Try): Promise<void> {
    const { code, message } = describeNext(turn.options.model, error, next);
    const blocks = turn.options.visible ? turn.blockIds() : [];
    await this.scope.append([this.notice(code, message, blocks)]);
  }

  private notice(code: string, message: string, blocks: readonly string[]): Entry {
    const hidesBlocks = blocks.length > 0 && { void: blocks };
    const body = { type: 'NOTICE', code, message, ...hidesBlocks } as const;
    return { agent_id: this.input.agent.id, key: null, body };
  }

  private completing(
    turn: TurnStream,
    result: Pick<RecordOf<'TURN_COMPLETED'>, 'finish_reason' | 'usage' | 'error'>,
    hidden: HiddenOf<'TURN_COMPLETED'> | null,
  ): Entry {
    const { agent, key } = this.input;
    const duration_ms = Math.round(this.scope.services.clock.monotonic() - this.started);
    const { model } = turn.options;
    const body = { type: 'TURN_COMPLETED', model, ...result, duration_ms } as const;
    return { agent_id: agent.id, key, body, hidden };
  }

  private newTurn(model: string): TurnStream {
    const { agent, options } = this.input;
    const visible = options.visible ?? true;
    const { id: agent_id, type: agent_type, parent_id } = agent;
    const answers = parent_id === null && visible;
    return new TurnStream(this.scope, { agent_id, agent_type, model, visible, answers });
  }

  /** Names of models, as whoever asks wrote them. */
  private get asked(): string {
    return this.input.options.model ?? this.scope.interaction.model;
  }

  /** An agent may have made the name up, and a server may have other providers since it was asked. */
  private resolve(): ModelChain | AppError {
    try {
      return this.scope.services.models.resolve(this.asked);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }
}
