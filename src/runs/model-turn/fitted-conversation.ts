import { Tripwire } from '../../guardrails/tripwire.js';
import type { AppError } from '../../kernel/app-error.js';
import type { Entry } from '../../event-log/append/run-log.js';
import type { ResolvedModel } from '../../models/model-registry.js';
import type { Message } from '../../protocol/message.js';
import type { AgentIdentity, GenerateOptions } from '../../agents/agent-context.js';
import { reachOf, WHOLE } from '../context-window/context-mark.js';
import type { ContextCut } from '../context-window/context-mark.js';
import { findMark } from '../context-window/context-marks.js';
import { contextOverflow, refusedOverflow } from '../context-window/context-overflow.js';
import { describeCut } from '../context-window/describe-cut.js';
import { digestMessages } from '../context-window/digest-messages.js';
import { fixedTokens } from '../context-window/estimate-tokens.js';
import { requestBudget } from '../context-window/model-context.js';
import { planCut } from '../context-window/plan-cut.js';
import { renderContext } from '../context-window/render-context.js';
import { TokenTable } from '../context-window/token-table.js';
import { trip } from '../guarding/guarding.js';
import { ModelTurn } from './model-turn.js';
import type { SizedRequest } from './model-turn.js';
import type { AgentScope } from '../scope/agent-scope.js';
import { summaryTurn } from './summary-turn.js';
import { toolsOffered, turnRequest } from './turn-request.js';
import { untilAborted } from '../scope/until-aborted.js';

export interface TurnContextInput {
  /** Of the turn. */
  readonly key: string;
  readonly agent: AgentIdentity;
  readonly options: GenerateOptions;
  /** All that there would be to send. */
  readonly messages: readonly Message[];
  /** Where the message is that the agent works on; -1: it is not among them. */
  readonly task: number;
}

interface NextCut {
  readonly model: ResolvedModel;
  /** Tokens that a request may have. */
  readonly budget: number;
  readonly next: ContextCut;
}

interface ToldCut extends Pick<NextCut, 'model' | 'next'> {
  /** How it was sent so far. */
  readonly last: ContextCut;
}

/** How often the conversation is cut for one try before that is given up. */
const MAX_CUTS = 4;
/** Of what a provider has refused, what it is sent next. */
const AFTER_REFUSAL = 0.6;

/**
 * Makes the conversation of a turn fit its model. How it is cut is decided once, and written under a key of the turn before it is sent:
 * a turn that is asked again, by whichever run, sends the same.
 */
export class FittedConversation {
  /** Steps of this turn's context that have been taken. */
  private steps = 0;
  /** Not any more once the model has written none. */
  private summarises: boolean;

  constructor(
    private readonly scope: AgentScope,
    private readonly input: TurnContextInput,
  ) {
    this.summarises = scope.shared.options.context.contextStrategy === 'compact';
  }

  /** Waits for what an earlier run has decided. */
  async takeUp(): Promise<void> {
    while (this.scope.journal.find(this.nextKey)) await this.takeStep();
  }

  /**
   * What the model is sent. `refusal`: it has said that the last was too long.
   * @throws AppError `context_overflow`, `input_too_large`
   */
  async request(model: ResolvedModel, refusal?: AppError): Promise<SizedRequest> {
    const { scope, input } = this;
    const { messages, options, task } = input;
    const isCut = scope.shared.options.context.contextStrategy !== 'none';
    if (refusal && !isCut) throw refusedOverflow(model.name, refusal);
    const cut = isCut ? await this.fit(model, refusal) : WHOLE;
    const sent = renderContext({ messages, cut, task });
    const request = turnRequest(scope, options, { model: model.model, messages: sent });
    return { request, tokens: this.table(1).total(cut) };
  }

  /** How the conversation is sent to this model. */
  private async fit(model: ResolvedModel, refusal?: AppError): Promise<ContextCut> {
    const { messages } = this.input;
    const refused = this.cut;
    await this.lookBack(model, refusal);
    const budget = this.budgetOf(model, refusal && this.tableFor(model).total(refused));
    if (refusal && this.cut !== refused)
      await this.append(this.note({ model, last: refused, next: this.cut }, this.nextKey));
    for (let cuts = 0; ; cuts++) {
      const { cut } = this;
      const table = this.tableFor(model); // what a summary has cost tells more of the scale
      const plan = planCut({ messages, cut, table, budget });
      if (plan.kind === 'send') return cut;
      if (!('cut' in plan) || cuts === MAX_CUTS)
        throw refusal
          ? refusedOverflow(model.name, refusal)
          : contextOverflow({ model: model.name, tokens: table.total(cut), budget });
      await this.write({ model, budget, next: plan.cut });
    }
  }

  /** How it is sent as things are. */
  private get cut(): ContextCut {
    const { agent, messages } = this.input;
    const { marks, earlier } = this.scope.shared;
    const own = findMark(marks.of(agent.id), messages);
    return own ?? (this.isRoot ? findMark(earlier.marks, messages) : undefined) ?? WHOLE;
  }

  private get isRoot(): boolean {
    return this.input.agent.parent_id === null;
  }

  /** What was summarised in an earlier interaction is not summarised again. */
  private async lookBack(model: ResolvedModel, refusal?: AppError): Promise<void> {
    const isLong =
      refusal !== undefined || this.tableFor(model).total(WHOLE) > this.budgetOf(model) / 2;
    if (isLong && this.isRoot) await this.scope.shared.earlier.load();
  }

  /** Writes how it is sent from now on. */
  private async write({ model, budget, next }: NextCut): Promise<void> {
    const { cut: last } = this;
    if (!this.summarises || next.from === last.from)
      return this.append(this.note({ model, last, next }, this.nextKey));
    await this.summarise({ model, budget, next });
    await this.takeStep();
    if (this.cut.from < next.from) this.summarises = false;
  }

  /** The summary and how it is used are one append: whoever goes on has both, or neither. */
  private summarise({ model, budget, next }: NextCut): Promise<void> {
    const { scope, input, cut: last, nextKey: key } = this;
    const { agent, options, messages } = input;
    const turn = summaryTurn(scope, {
      ...{ key, agent, options, budget, earlier: last.summary },
      messages: messages.slice(last.from, next.from),
      scale: scope.shared.tokens.of(agent.id, model.name),
      written: (summary) => this.note({ model, last, next: { ...next, summary } }, null),
    });
    return new ModelTurn(scope, turn).ask();
  }

  private note({ model, last, next }: ToldCut, key: string | null): Entry {
    const { agent, messages } = this.input;
    const { from, summary, references_before } = next;
    const digest = digestMessages(messages.slice(0, reachOf(next)));
    const hidden = { context: { from, summary, references_before, digest } };
    const table = this.tableFor(model);
    const [before, after] = [table.total(last), table.total(next)];
    const told = describeCut({ model: model.name, last, next, before, after });
    return { agent_id: agent.id, key, body: { type: 'NOTICE', ...told }, hidden };
  }

  private async append(entry: Entry): Promise<void> {
    await this.scope.append([entry]);
    await this.takeStep();
  }

  private get nextKey(): string {
    return `${this.input.key}/context.${this.steps + 1}`;
  }

  /** A summary that a guardrail has tripped on ends the run, as any other turn does. @throws Tripwire */
  private async takeStep(): Promise<void> {
    const { journal, signal } = this.scope;
    const { body } = await untilAborted(journal.take(this.nextKey), signal);
    this.steps++;
    const error = body.type === 'TURN_COMPLETED' ? body.error : undefined;
    if (error && Tripwire.from(error)) throw trip(this.scope, error.message);
  }

  /** Of what was refused, however many tokens that had, less has to do. */
  private budgetOf({ name: model }: ResolvedModel, refused = Infinity): number {
    const { context } = this.scope.shared.options;
    const { max_output_tokens = this.scope.services.models.defaults.max_output_tokens } =
      this.input.options;
    const budget = requestBudget(context, { model, answer: max_output_tokens });
    return Math.min(budget, Math.floor(refused * AFTER_REFUSAL));
  }

  private tableFor({ name }: ResolvedModel): TokenTable {
    return this.table(this.scope.shared.tokens.of(this.input.agent.id, name));
  }

  private table(scale: number): TokenTable {
    const { messages, task, options } = this.input;
    const { tools, instructions, schema } = options;
    const fixed = fixedTokens({
      tools: toolsOffered(this.scope, tools),
      ...(instructions !== undefined && { instructions }),
      ...(schema !== undefined && { schema }),
    });
    return new TokenTable({ messages, task, fixed, scale });
  }
}
