import { Tripwire } from '../../guardrails/tripwire.js';
import { AppError } from '../../kernel/app-error.js';
import type { Entry } from '../../event-log/append/run-log.js';
import { ModelError } from '../../models/model-error.js';
import type { ModelRequest } from '../../models/model-provider.js';
import type { ModelChain, ResolvedModel } from '../../models/model-registry.js';
import { addUsage, NO_USAGE } from '../../protocol/interaction.js';
import type { Usage } from '../../protocol/interaction.js';
import type { HiddenOf, RecordOf } from '../../protocol/events.js';
import type { AgentIdentity, GenerateOptions, Turn } from '../../agents/agent-context.js';
import { certainTokens, isCut } from '../context-window/estimate-tokens.js';
import { promptCut, refusedOverflow } from '../context-window/model-context.js';
import { dropToolCalls, showsImages, dropImages } from './turn-request.js';
import { describeNext, nextTry } from './retry-policy.js';
import type { Try } from './retry-policy.js';
import type { AgentScope } from '../scope/agent-scope.js';
import type { TurnPrompt } from './turn-prompt.js';
import { untilMet } from '../requirements/until-met.js';
import { TurnStream } from './turn-stream.js';
import { withinBudget } from './within-budget.js';

interface ModelTurnInput {
  readonly key: string;
  readonly agent: AgentIdentity;
  readonly options: GenerateOptions;
  /** False: the turn is not part of the agent's conversation. */
  readonly in_conversation: boolean;
  readonly prompt: TurnPrompt;
}

const ANSWER_CUT =
  'The answer was cut off at the limit of output tokens: MODEL_MAX_OUTPUT_TOKENS, or the model’s own. Send another message to let it go on.';

/**
 * Requests one turn, and appends it, completed or failed. Retries retryable errors: immediately
 * with the next model of the chain while readers have seen nothing of the turn, else with the same
 * model after a backoff.
 */
export class ModelTurn {
  private readonly started: number;
  /** The model's error for a request that was too long, until the next request is built. */
  private refusal: AppError | undefined;
  private wasRefused = false;
  /** The last request. */
  private request: ModelRequest | undefined;
  /**
   * Estimated usage of attempts that failed in the middle of an answer. It counts if the whole turn
   * fails.
   */
  private lost = NO_USAGE;

  constructor(
    private readonly scope: AgentScope,
    private readonly input: ModelTurnInput,
  ) {
    this.started = scope.run.services.clock.monotonic();
  }

  /** Resolves when the turn is appended. */
  ask(): Promise<void> {
    const { id: interaction_id, chat_id, epoch } = this.scope.run.interaction;
    const { key, agent } = this.input;
    const turn = { interaction_id, chat_id, epoch, agent_id: agent.id, key };
    return this.scope.run.services.turnFiles.record(turn, () => this.askModels());
  }

  private async askModels(): Promise<void> {
    const { scope } = this;
    if (this.isConfigured) await untilMet(scope, `model:${this.asked}`, this.input.agent.id);
    const chain = this.resolve();
    if (chain instanceof AppError) return this.giveUp(this.newTurn(this.asked), chain);
    const [first, ...others] = chain;
    for (let next: Try | undefined = { model: first, failed: 0, wait_ms: 0 }; next;) {
      const { model, wait_ms }: Try = next;
      if (wait_ms > 0) await scope.run.services.clock.sleep(wait_ms, scope.signal);
      const turn = this.newTurn(model.name);
      try {
        return await this.tryOnce(turn, model);
      } catch (error) {
        if (scope.signal.aborted || !(error instanceof AppError)) throw error;
        if (error instanceof ModelError)
          scope.run.services.telemetry.emit('model_failed', {
            code: error.code,
            model: model.name,
          });
        const hasShown = turn.shownBlockIds().length > 0;
        const lost = turn.usage();
        if (lost) this.lost = addUsage(this.lost, this.priced(lost, turn));
        if (!hasShown && (await this.noteContextOverflow(turn, error))) continue;
        if (!hasShown && (await this.retryWithoutImages(turn, error))) continue;
        next = nextTry(error, { last: next, hasShown, others });
        await (next ? this.announce(turn, error, next) : this.giveUp(turn, error));
      }
    }
  }

  /** True: the same model is asked again, with a shorter request. */
  private async noteContextOverflow(turn: TurnStream, error: AppError): Promise<boolean> {
    if (error.code !== 'model_context_exceeded' || this.wasRefused) return false;
    this.refusal = error;
    this.wasRefused = true;
    const notices = this.notices(turn);
    if (notices.length > 0) await this.scope.append(notices);
    return true;
  }

  /**
   * True: the model is asked again without images. An unreadable image may be the reason for its
   * refusal.
   */
  private async retryWithoutImages(turn: TurnStream, error: AppError): Promise<boolean> {
    if (error.code !== 'model_refused' || !this.request || !showsImages(this.request)) return false;
    this.scope.run.imagesDisabled = true;
    const message = `${error.message} ${turn.options.model} is asked once more without images, which are not shown any more.`;
    await this.scope.append([...this.notices(turn), this.notice('images_refused', message, [])]);
    return true;
  }

  private async tryOnce(turn: TurnStream, model: ResolvedModel): Promise<void> {
    const { scope, input } = this;
    const { refusal } = this;
    this.refusal = undefined;
    const { request: whole, tokens } = await input.prompt.request(model, refusal);
    turn.requestTokens = tokens;
    const request = scope.run.imagesDisabled ? dropImages(whole) : whole;
    this.request = request;
    scope.throwIfStopped();
    scope.run.turns.add(turn);
    try {
      const { finish_reason, usage } = await withinBudget(scope, input.agent.id, (signal) =>
        scope.run.turnSemaphore.run(scope.branch ?? scope, signal, () =>
          this.traced(() =>
            turn.read(dropToolCalls(request, model.provider.stream(request, signal))),
          ),
        ),
      );
      scope.signal.throwIfAborted();
      await this.record(turn, { finish_reason, usage });
      scope.run.turns.delete(turn);
    } finally {
      // the end of the run records what readers have seen
      if (!scope.signal.aborted) scope.run.turns.delete(turn);
    }
  }

  /** The request to the model names the turn's span. */
  private traced<T>(work: () => T): T {
    const { interaction, services } = this.scope.run;
    return services.tracer.within(interaction, ['model', interaction.epoch, this.input.key], work);
  }

  private async record(
    turn: TurnStream,
    { finish_reason, usage: reported }: Pick<Turn, 'finish_reason' | 'usage'>,
  ): Promise<void> {
    const { in_conversation, prompt, key } = this.input;
    const message = turn.message();
    const hidden = { message, in_conversation, estimated_tokens: turn.requestTokens };
    const counted = turn.usage() ?? reported;
    const isEstimated = counted !== reported;
    const used = this.priced(counted, turn);
    await this.scope.append(
      [
        ...this.notices(turn, isEstimated),
        ...this.cutNotices(turn, reported),
        ...turn.entries((index) => `${key}.${index}`),
        ...(turn.isCutAnswer ? [this.notice('answer_cut', ANSWER_CUT, [])] : []),
        ...(prompt.entriesFor?.(message) ?? []),
        this.completing(
          turn,
          { finish_reason, usage: used, ...(isEstimated && { usage_estimated: true as const }) },
          hidden,
        ),
      ],
      this.scope.run.addUsage(turn.options.model, used),
    );
  }

  private priced(usage: Usage, { options }: TurnStream): Usage {
    return this.scope.run.services.pricing.priced(options.model, usage);
  }

  private async giveUp(turn: TurnStream, cause: AppError): Promise<void> {
    const isTooLong = cause.code === 'model_context_exceeded';
    const { code, message } = isTooLong ? refusedOverflow(turn.options.model, cause) : cause;
    const blocks = turn.shownBlockIds();
    const told = cause instanceof Tripwire ? code : 'model_failed';
    const notice = this.notice(told, message, blocks);
    const usage = this.lost;
    const isEstimated = usage !== NO_USAGE;
    const result = { finish_reason: 'error', usage, error: { code, message } } as const;
    await this.scope.append(
      [
        ...this.notices(turn),
        ...(blocks.length > 0 && turn.options.visible ? [notice] : []),
        this.completing(turn, { ...result, ...(isEstimated && { usage_estimated: true }) }, null),
      ],
      this.scope.run.addUsage(turn.options.model, usage),
    );
  }

  private async announce(turn: TurnStream, error: AppError, next: Try): Promise<void> {
    const { model } = turn.options;
    const { code, message } = describeNext(model, error, next);
    const { telemetry, logger } = this.scope.run.services;
    telemetry.emit(next.failed === 0 ? 'model_fell_back' : 'model_retried', { model });
    logger.debug({ message: `${model} failed (${error.code}): ${code}`, model, code: error.code });
    const blocks = turn.options.visible ? turn.shownBlockIds() : [];
    await this.scope.append([...this.notices(turn), this.notice(code, message, blocks)]);
  }

  /** Notices of the provider, and of usage that is estimated: each once in a run. */
  private notices(turn: TurnStream, isEstimated = false): Entry[] {
    const { model } = turn.options;
    const uncounted = {
      code: 'usage_estimated',
      message: `${model} does not say how many tokens it used, so they are estimated.`,
    };
    const told = [...turn.takeNotices(), ...(isEstimated ? [uncounted] : [])];
    return told.flatMap(({ code, message }) => {
      if (!this.scope.run.isNews(message)) return [];
      this.scope.run.services.logger.warn(message);
      return [this.notice(code, message, [])];
    });
  }

  /** Once for each model: its server has cut the prompt without a word. */
  private cutNotices({ options: { model }, requestTokens }: TurnStream, usage: Usage): Entry[] {
    const { windows, logger } = this.scope.run.services;
    const isShort = isCut(usage, requestTokens);
    const tokens = isShort ? certainTokens(this.request!) : requestTokens;
    if (!windows.note(model, usage, tokens)) return [];
    const message = promptCut(model, { tokens, counted: usage.input_tokens });
    logger.warn(message);
    return [this.notice('prompt_cut', message, [])];
  }

  private notice(code: string, message: string, blocks: readonly string[]): Entry {
    const hidesBlocks = blocks.length > 0 && { void: blocks };
    const body = { type: 'NOTICE', code, message, ...hidesBlocks } as const;
    return { agent_id: this.input.agent.id, key: null, body };
  }

  private completing(
    turn: TurnStream,
    result: Pick<
      RecordOf<'TURN_COMPLETED'>,
      'finish_reason' | 'usage' | 'usage_estimated' | 'error'
    >,
    hidden: HiddenOf<'TURN_COMPLETED'> | null,
  ): Entry {
    const { agent, key } = this.input;
    const duration_ms = Math.round(this.scope.run.services.clock.monotonic() - this.started);
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

  /** The models, as named by the agent or the interaction. */
  private get asked(): string {
    return this.input.options.model ?? this.scope.run.interaction.model;
  }

  /**
   * True if the interaction or the kind of agent has the model, or it has answered before: then the
   * server lacks it. Any other unknown name is a mistake in the code of the agent.
   */
  private get isConfigured(): boolean {
    const { interaction, services, requirements } = this.scope.run;
    const ofKind = services.agents.find(this.input.agent.type)?.type.model;
    return [interaction.model, ofKind].includes(this.asked) || requirements.hasServed(this.asked);
  }

  /** Fails if the code of an agent names an unknown model. */
  private resolve(): ModelChain | AppError {
    try {
      return this.scope.run.services.models.resolve(this.asked);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }
}
