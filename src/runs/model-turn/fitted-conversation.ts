import { Tripwire } from '../../guardrails/tripwire.js';
import type { AppError } from '../../kernel/app-error.js';
import type { Entry } from '../../event-log/append/run-log.js';
import type { ResolvedModel } from '../../models/model-registry.js';
import type { Message } from '../../protocol/message.js';
import type { AgentIdentity, GenerateOptions } from '../../agents/agent-context.js';
import { WHOLE, findMark } from '../context-window/context-marks.js';
import type { ContextCut } from '../context-window/context-marks.js';
import {
  contextOverflow,
  refusedOverflow,
  requestBudget,
} from '../context-window/model-context.js';
import { CutNotice } from '../context-window/cut-notice.js';
import type { UnreadBeginning } from '../context-window/earlier-conversation.js';
import { fixedTokens } from '../context-window/estimate-tokens.js';
import { lastMessages, planCut } from '../context-window/plan-cut.js';
import { renderContext } from '../context-window/render-context.js';
import { TokenTable } from '../context-window/token-table.js';
import { trip } from '../guarding/guard-output.js';
import { ModelTurn } from './model-turn.js';
import type { SizedRequest, TurnPrompt } from './turn-prompt.js';
import { SummaryPrompt } from './summary-prompt.js';
import type { AgentScope } from '../scope/agent-scope.js';
import { toolsOffered, turnRequest } from './turn-request.js';
import { untilAborted } from '../../kernel/async/promises.js';

interface FittedConversationInput {
  /** Key of the turn. */
  readonly key: string;
  readonly agent: AgentIdentity;
  readonly options: GenerateOptions;
  /** All messages, before any cut. */
  readonly messages: readonly Message[];
  /** Index of the message that the agent works on; -1 if it is not among them. */
  readonly task: number;
  /** The model sees only so many of the last messages; undefined: all. */
  readonly count: number | undefined;
}

interface NextCut {
  readonly model: ResolvedModel;
  /** Token budget of a request. */
  readonly budget: number;
  readonly next: ContextCut;
}

/** Maximum number of cuts for one attempt. */
const MAX_CUTS = 4;
/** Share of the size of a refused request that the next one may have. */
const AFTER_REFUSAL = 0.6;

/**
 * Fits the conversation of a turn to its model. Each cut is decided once, and journaled under a key
 * of the turn before it is sent: a retried turn, in any run, sends the same messages.
 */
export class FittedConversation implements TurnPrompt {
  /** Cuts of this turn that were journaled and delivered. */
  private steps = 0;
  /** False once the model has returned an empty summary. */
  private summarises: boolean;
  /** Index of the first message that the model may see. */
  private readonly window: number;

  constructor(
    private readonly scope: AgentScope,
    private readonly input: FittedConversationInput,
  ) {
    const { messages, count } = input;
    this.window = count === undefined ? 0 : lastMessages(messages, count);
    this.summarises = scope.run.services.config.contextStrategy === 'compact';
  }

  /** Applies the cuts that earlier runs have journaled. */
  async replay(): Promise<void> {
    while (this.scope.run.journal.findCompletion(this.nextKey)) await this.takeStep();
  }

  /**
   * The request for this model. `refusal`: its error for the last request, which was too long.
   * @throws AppError `context_overflow`, `input_too_large`
   */
  async request(model: ResolvedModel, refusal?: AppError): Promise<SizedRequest> {
    const { scope, input } = this;
    const { messages, options, task } = input;
    const isCut = scope.run.services.config.contextStrategy !== 'none';
    if (refusal && !isCut) throw refusedOverflow(model.name, refusal);
    const { window } = this;
    const cut = isCut ? await this.fit(model, refusal) : { ...WHOLE, from: window };
    const sent = renderContext({ messages, cut, task, window, unread: this.unread?.count });
    const request = turnRequest(scope, options, { model: model.model, messages: sent });
    return { request, tokens: this.table(1).total(cut) };
  }

  /** The cut for this model, possibly a new one. */
  private async fit(model: ResolvedModel, refusal?: AppError): Promise<ContextCut> {
    const { messages } = this.input;
    const refused = this.cut;
    await this.loadEarlierMarks(model, refusal);
    if (refusal && this.cut !== refused)
      await this.append(this.notice(model, refused).entry(this.nextKey, this.cut));
    for (let cuts = 0; ; cuts++) {
      const { cut } = this;
      const table = this.tableFor(model); // a summary turn updates the scale
      const budget = this.budgetOf(model, refusal && table.total(refused));
      const plan = planCut({ messages, cut, table, budget });
      if (plan.kind === 'send') return cut;
      if (!('cut' in plan) || cuts === MAX_CUTS) {
        if (!refusal && this.isAccepted(model, table.total(cut))) return cut;
        throw refusal
          ? refusedOverflow(model.name, refusal)
          : contextOverflow({ model: model.name, tokens: table.total(cut), budget });
      }
      await this.write({ model, budget, next: plan.cut });
    }
  }

  /** The cut in force. */
  private get cut(): ContextCut {
    const { agent, messages } = this.input;
    const { contextMarks, earlierMarks } = this.scope.run;
    const own = findMark(contextMarks.of(agent.id), messages);
    const marked =
      own ??
      (this.isRoot ? findMark(earlierMarks.marks, messages) : undefined) ??
      this.unread?.cut ??
      WHOLE;
    return marked.from < this.window ? { ...WHOLE, from: this.window } : marked;
  }

  /** The beginning that is not loaded; undefined if this is another conversation. */
  private get unread(): UnreadBeginning | undefined {
    return this.addedFrom === undefined ? undefined : this.scope.run.unread;
  }

  /**
   * Index of the first message that the interaction added, if these messages begin with those
   * before it.
   */
  private get addedFrom(): number | undefined {
    const { messages } = this.input;
    const { before } = this.scope.run.conversation;
    const begins = [0, before.length - 1].every((at) => messages[at] === before[at]);
    return this.isRoot && begins ? before.length : undefined;
  }

  private get isRoot(): boolean {
    return this.input.agent.parent_id === null;
  }

  /** Loads the cuts of earlier interactions, so that nothing is summarised twice. */
  private async loadEarlierMarks(model: ResolvedModel, refusal?: AppError): Promise<void> {
    const isLong =
      refusal !== undefined || this.tableFor(model).total(WHOLE) > this.budgetOf(model) / 2;
    if (isLong && this.isRoot) await this.scope.run.earlierMarks.load();
  }

  /** Journals the next cut, with a summary of the omitted messages if it needs one. */
  private async write({ model, budget, next }: NextCut): Promise<void> {
    const { cut: last } = this;
    if (!this.summarises || next.from === last.from)
      return this.append(this.notice(model, last).entry(this.nextKey, next));
    await this.summarise({ model, budget, next });
    await this.takeStep();
    if (this.cut.from < next.from) this.summarises = false;
  }

  /** Writes the summary turn and the cut that uses it in one append. */
  private summarise({ model, budget, next }: NextCut): Promise<void> {
    const { scope, input, cut: last, nextKey: key } = this;
    const { agent, options, messages } = input;
    const prompt = new SummaryPrompt(scope, {
      ...{ budget, next, earlier: last.summary, model: options.model },
      messages: messages.slice(last.from, next.from),
      scale: scope.run.tokenScale.of(agent.id, model.name),
      notice: this.notice(model, last),
    });
    const turn = { key, agent, options: prompt.options, in_conversation: false, prompt };
    return new ModelTurn(scope, turn).ask();
  }

  private notice({ name: model }: ResolvedModel, last: ContextCut): CutNotice {
    const { agent, messages } = this.input;
    const table = this.table(this.scope.run.tokenScale.of(agent.id, model));
    const { addedFrom: added_from, unread } = this;
    const place = { added_from, unread: unread?.count ?? 0 };
    return new CutNotice({ agent_id: agent.id, model, last, messages, table, ...place });
  }

  private async append(entry: Entry): Promise<void> {
    await this.scope.append([entry]);
    await this.takeStep();
  }

  private get nextKey(): string {
    return `${this.input.key}/context.${this.steps + 1}`;
  }

  /**
   * Waits until the next cut is delivered.
   * @throws Tripwire if a guardrail has tripped on its summary
   */
  private async takeStep(): Promise<void> {
    const { run, signal } = this.scope;
    const { body } = await untilAborted(run.journal.completionOf(this.nextKey), signal);
    this.steps++;
    const error = body.type === 'TURN_COMPLETED' ? body.error : undefined;
    if (error && Tripwire.from(error)) throw trip(this.scope.run, error.message);
  }

  /** Token budget of a request; smaller after the model has refused one of `refused` tokens. */
  private budgetOf({ name: model }: ResolvedModel, refused = Infinity): number {
    const { config } = this.scope.run.services;
    const observed = this.scope.run.services.windows.of(model);
    const budget = requestBudget(config, { model, answer: this.maxOutputTokens, observed });
    return Math.min(budget, Math.floor(refused * AFTER_REFUSAL));
  }

  private get maxOutputTokens(): number | undefined {
    const { defaults } = this.scope.run.services.models;
    return this.input.options.max_output_tokens ?? defaults.max_output_tokens;
  }

  /** True if only the server's own window is exceeded, at which it cuts and goes on. */
  private isAccepted({ name: model }: ResolvedModel, tokens: number): boolean {
    const { config } = this.scope.run.services;
    return tokens <= requestBudget(config, { model, answer: this.maxOutputTokens });
  }

  private tableFor({ name }: ResolvedModel): TokenTable {
    return this.table(this.scope.run.tokenScale.of(this.input.agent.id, name));
  }

  private table(scale: number): TokenTable {
    const { window } = this;
    const { messages, task, options } = this.input;
    const { tools, instructions, schema } = options;
    const fixed = fixedTokens({
      tools: toolsOffered(this.scope, tools),
      ...(instructions !== undefined && { instructions }),
      ...(schema !== undefined && { schema }),
    });
    return new TokenTable({ messages, task, window, fixed, scale, unread: this.unread?.count });
  }
}
