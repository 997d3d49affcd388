import { setTimeout as delay } from 'node:timers/promises';
import type { Entry } from '../../log/run-log.js';
import { ModelError } from '../../models/model-error.js';
import type { ModelRequest, ModelTool } from '../../models/model-provider.js';
import type { ModelChain, ResolvedModel } from '../../models/model-registry.js';
import { retryDelay } from '../../models/retry.js';
import type { Usage } from '../../protocol/interaction.js';
import type { Message } from '../../protocol/message.js';
import { AppError } from '../../kernel/app-error.js';
import type { AgentIdentity, GenerateOptions, Turn } from '../agent-context.js';
import type { CompletingRecord } from '../journal/completes.js';
import type { TurnJournal } from './conversation.js';
import type { Effect } from './effect.js';
import { interventionText } from './intervention-text.js';
import { intervened } from './interventions.js';
import type { RunScope } from './run-scope.js';
import { TurnFailed } from './turn-failed.js';
import { TurnStream } from './turn-stream.js';
import { untilAborted } from './until-aborted.js';

export interface GenerateInput {
  readonly key: string;
  readonly agent: AgentIdentity;
  readonly options: GenerateOptions;
  /** The agent's conversation as it is now. */
  readonly conversation: readonly Message[];
}

const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0 };
/** A conversation longer than this, in characters, is sent to no model. */
const MAX_CONVERSATION = 4_000_000;

/** setTimeout can't wait longer. */
const MAX_TIMER_MS = 2 ** 31 - 2;

/** A failed try: what comes after it. */
interface Next {
  readonly model: ResolvedModel;
  /** Tries of the model that have failed. */
  readonly failed: number;
  readonly wait_ms: number;
}

/**
 * One model turn. While its provider says that this may help it is tried again: at once with the next model of the chain, if nothing was
 * shown yet, else after a while with the same one.
 */
export class GenerateEffect implements Effect<Turn> {
  readonly key: string;
  readonly label = 'a model turn';
  private readonly started: number;
  /** What people told the agent since its last turn. */
  private told: readonly Message[] = [];

  constructor(
    private readonly scope: RunScope,
    private readonly input: GenerateInput,
  ) {
    this.key = input.key;
    this.started = scope.services.clock.monotonic();
  }

  matches({ body }: CompletingRecord): boolean {
    return body.type === 'TURN_COMPLETED';
  }

  async run(): Promise<void> {
    await this.takeInNotes();
    const chain = this.resolve();
    if (chain instanceof AppError) return this.giveUp(this.newTurn(this.asked), chain);
    const [first, ...others] = chain;
    for (let next: Next | undefined = { model: first, failed: 0, wait_ms: 0 }; next;) {
      const { model, failed, wait_ms } = next;
      if (wait_ms > 0) await delay(wait_ms, undefined, { signal: this.scope.signal });
      const turn = this.newTurn(model.name);
      try {
        return await this.tryOnce(turn, model);
      } catch (error) {
        if (this.scope.signal.aborted || !(error instanceof AppError)) throw error;
        const tried = { model, failed: failed + 1, wait_ms: 0 };
        next = nextTry(error, { tried, hasShown: turn.blockIds().length > 0, others });
        await (next ? this.announce(turn, error, next) : this.giveUp(turn, error));
      }
    }
  }

  outcome({ body, hidden }: CompletingRecord): Turn {
    if (body.type !== 'TURN_COMPLETED') throw new TypeError('not a turn');
    if (body.error) throw new TurnFailed(body.error);
    const { message } = hidden as TurnJournal;
    return {
      text: message.content ?? '',
      tool_calls: message.tool_calls ?? [],
      finish_reason: body.finish_reason,
      usage: body.usage,
    };
  }

  /** Committed before the model reads them, so that a turn that is asked for again says the same. */
  private async takeInNotes(): Promise<void> {
    const { key, scope, input } = this;
    const notes = scope.shared.interventions.takeNotes(input.agent.id);
    if (notes.length > 0) await scope.append(notes.map((row) => intervened(row, key)));
    const records = scope.journal.listEarlier(key, 'AGENT_INTERVENED');
    const texts = records.map(interventionText).filter((text) => text !== undefined);
    this.told = texts.map((content) => ({ role: 'user', content }));
  }

  private async tryOnce(turn: TurnStream, { provider, model }: ResolvedModel): Promise<void> {
    this.requireBudget();
    const request = this.request(model);
    this.scope.throwIfStopped();
    this.scope.turns.add(turn);
    try {
      const { finish_reason, usage } = await this.withinTime((signal) =>
        turn.read(provider.stream(request, signal)),
      );
      this.scope.signal.throwIfAborted();
      await this.record(turn, { finish_reason, usage });
      this.scope.turns.delete(turn);
    } finally {
      if (!this.scope.signal.aborted) this.scope.turns.delete(turn); // whoever stopped the run records what was shown
    }
  }

  private requireBudget(): void {
    const { shared, services } = this.scope;
    const over = shared.budgets.exceeded(this.input.agent.id, services.clock.now().getTime());
    if (over) throw over;
  }

  /** Stops the turn in its middle when the time of its agent, or of one above it, is over. */
  private async withinTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { shared, services, signal } = this.scope;
    const now = services.clock.now().getTime();
    const left_ms = shared.budgets.remainingMs(this.input.agent.id, now);
    if (left_ms === undefined || left_ms > MAX_TIMER_MS) return work(signal);
    const time = new AbortController();
    const timer = setTimeout(() => time.abort(), left_ms + 1).unref();
    const either = AbortSignal.any([signal, time.signal]);
    try {
      return await untilAborted(work(either), either);
    } catch (error) {
      if (time.signal.aborted && !signal.aborted) this.requireBudget();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  private async record(
    turn: TurnStream,
    { finish_reason, usage }: Pick<Turn, 'finish_reason' | 'usage'>,
  ): Promise<void> {
    const hidden: TurnJournal = {
      message: turn.message(),
      in_conversation: turn.options.visible && !this.input.options.messages,
    };
    await this.scope.append(
      [
        ...turn.entries((index) => `${this.key}.${index}`),
        this.completing(turn, { finish_reason, usage }, hidden),
      ],
      { usage: this.scope.addUsage(usage) },
    );
  }

  private async giveUp(turn: TurnStream, { code, message }: AppError): Promise<void> {
    const blocks = turn.blockIds();
    const notice = this.notice('model_failed', message, blocks);
    await this.scope.append([
      ...(blocks.length > 0 && turn.options.visible ? [notice] : []),
      this.completing(
        turn,
        { finish_reason: 'error', usage: NO_USAGE, error: { code, message } },
        null,
      ),
    ]);
  }

  private async announce(turn: TurnStream, error: AppError, next: Next): Promise<void> {
    const blocks = turn.options.visible ? turn.blockIds() : [];
    const { model } = turn.options;
    const notice =
      next.failed === 0
        ? this.notice(
            'model_fallback',
            `${model} failed: ${error.message} ${next.model.name} is asked instead.`,
            blocks,
          )
        : this.notice(
            'model_retry',
            `${error.message} Trying again in ${(next.wait_ms / 1000).toFixed(1)} s.`,
            blocks,
          );
    await this.scope.append([notice]);
  }

  private notice(code: string, message: string, blocks: readonly string[]): Entry {
    return {
      agent_id: this.input.agent.id,
      key: null,
      body: { type: 'NOTICE', code, message, ...(blocks.length > 0 && { void: blocks }) },
    };
  }

  private completing(
    turn: TurnStream,
    result: Pick<
      Extract<Entry['body'], { type: 'TURN_COMPLETED' }>,
      'finish_reason' | 'usage' | 'error'
    >,
    hidden: TurnJournal | null,
  ): Entry {
    const duration_ms = Math.round(this.scope.services.clock.monotonic() - this.started);
    return {
      agent_id: this.input.agent.id,
      key: this.key,
      body: { type: 'TURN_COMPLETED', model: turn.options.model, ...result, duration_ms },
      hidden,
    };
  }

  private newTurn(model: string): TurnStream {
    const visible = this.input.options.visible ?? true;
    const isRoot = this.input.agent.parent_id === null;
    return new TurnStream(this.scope, {
      agent_id: this.input.agent.id,
      model,
      visible,
      answers: isRoot && visible,
    });
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

  /** Those asked for, by name; without, the server's and the client's. */
  private toolsOffered(names: readonly string[] | undefined): readonly ModelTool[] {
    const { client_tools } = this.scope.interaction.settings;
    const { tools } = this.scope.services;
    if (!names) return [...tools.definitions(), ...client_tools];
    const fromClient = client_tools.filter(({ name }) => names.includes(name));
    const isServers = (name: string): boolean => !fromClient.some((tool) => tool.name === name);
    return [...tools.definitions(names.filter(isServers)), ...fromClient];
  }

  private request(model: string): ModelRequest {
    const { tools, tool_choice, instructions, schema } = this.input.options;
    const { defaults } = this.scope.services.models;
    const { max_output_tokens = defaults.max_output_tokens, thinking = defaults.thinking } =
      this.input.options;
    const asked = this.input.options.messages ?? this.input.conversation;
    const messages = [...asked, ...this.told];
    checkSize(messages);
    return {
      model,
      messages,
      tools: this.toolsOffered(tools),
      ...(tool_choice !== undefined && { tool_choice }),
      ...(instructions !== undefined && { instructions }),
      ...(schema !== undefined && { schema }),
      ...(max_output_tokens !== undefined && { max_output_tokens }),
      ...(thinking !== undefined && { thinking }),
    };
  }
}

/** Undefined when it makes no sense to go on. Takes the model that is asked next from `others`. */
function nextTry(
  error: AppError,
  { tried, hasShown, others }: { tried: Next; hasShown: boolean; others: ResolvedModel[] },
): Next | undefined {
  if (!(error instanceof ModelError) || !error.retryable) return undefined;
  const wait_ms = retryDelay(error, tried.failed);
  if (hasShown && wait_ms !== undefined) return { ...tried, wait_ms };
  const model = others.shift();
  if (model) return { model, failed: 0, wait_ms: 0 };
  return wait_ms === undefined ? undefined : { ...tried, wait_ms };
}

function checkSize(messages: readonly Message[]): void {
  let size = 0;
  for (const message of messages) size += message.content?.length ?? 0;
  if (size > MAX_CONVERSATION)
    throw new AppError(
      'too_large',
      'input_too_large',
      `The conversation has ${size} characters, more than the ${MAX_CONVERSATION} that are sent to a model. Start a new chat, or edit an earlier message to go on from there.`,
    );
}
