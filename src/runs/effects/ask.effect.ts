import { judgementOf } from '../../guardrails/input-judgement.js';
import type { InputJudgement } from '../../guardrails/input-judgement.js';
import type { Settlement } from '../../persistence/rows/request-rows.js';
import type { AgentIdentity, AskOptions } from '../../agents/agent-context.js';
import type { CompletingRecord } from '../journal/completes.js';
import type { Effect } from './effect.js';
import { guardText, redactedEntries, remarkEntries, trip } from '../guarding/guard-output.js';
import { withdrawQuestion } from '../closing/close-requests.js';
import { judgeInput } from '../guarding/guard-input.js';
import { showUnseen } from '../../tools/text/show-unseen.js';
import type { AgentScope } from '../scope/agent-scope.js';

interface AskInput {
  readonly key: string;
  readonly agent: AgentIdentity;
  readonly question: string;
  readonly options: AskOptions;
  /** The call that asks; undefined if the agent itself does. */
  readonly tool_call_id?: string;
  /** Aborts when the answer is no longer needed. */
  readonly over?: AbortSignal;
}

const PASSED: InputJudgement = { remarks: [] };

/** A question to a person. The answer is null if it is declined or expires. */
export class AskEffect implements Effect<string | null> {
  readonly label = 'a question';

  constructor(
    private readonly scope: AgentScope,
    private readonly input: AskInput,
  ) {}

  get key(): string {
    return this.input.key;
  }

  matches({ body }: CompletingRecord): boolean {
    return body.type === 'INPUT_RECEIVED';
  }

  async run(): Promise<void> {
    const asked = this.scope.run.journal.findProgress(this.key, 'INPUT_REQUIRED');
    const request_id = asked?.body.request_id ?? (await this.ask());
    const settlement = await this.settlementOf(request_id);
    const answer = settlement.kind === 'input' ? settlement.answer : null;
    const { agent } = this.input;
    const read = { kind: 'answer', text: answer ?? '' } as const;
    const { judgement } = answer === null ? {} : await judgeInput(this.scope, agent, read);
    // a verdict says that the agent got the answer
    const hidden = answer === null ? null : { guarded: judgement ?? PASSED };
    const { by, cause } = settlement;
    const body = {
      type: 'INPUT_RECEIVED',
      request_id,
      answer,
      by,
      ...(cause && { cause }),
    } as const;
    await this.scope.append([
      ...redactedEntries(agent.id, 'The answer', settlement.redacted),
      ...remarkEntries(agent.id, judgement?.remarks ?? []),
      { agent_id: agent.id, key: this.key, body, hidden },
    ]);
  }

  outcome({ body, hidden }: CompletingRecord): string | null {
    if (body.type !== 'INPUT_RECEIVED') throw new TypeError('not an answer');
    const judgement = judgementOf(hidden);
    if (judgement?.tripwire !== undefined) throw trip(this.scope.run, judgement.tripwire);
    return judgement?.text ?? body.answer;
  }

  private async settlementOf(requestId: string): Promise<Settlement> {
    const { over } = this.input;
    const withdraw = (): void => this.scope.track(withdrawQuestion(this.scope.run, requestId));
    if (over?.aborted) withdraw();
    over?.addEventListener('abort', withdraw);
    try {
      return await this.scope.waitFor(requestId, 'input');
    } finally {
      over?.removeEventListener('abort', withdraw);
    }
  }

  /** The question and its options, after guardrails. */
  private shown() {
    const texts = [this.input.question, ...(this.input.options.options ?? [])].map((text) =>
      guardText(this.scope.run, this.input.agent, showUnseen(text)),
    );
    const [question = '', ...options] = texts.map(({ text }) => text);
    const remarks = texts.flatMap((each) => each.remarks);
    return { question, options: this.input.options.options && options, remarks };
  }

  private async ask(): Promise<string> {
    const { key, agent, tool_call_id } = this.input;
    const { question, options, remarks } = this.shown();
    if (remarks.length > 0) await this.scope.append(remarks);
    const id = this.scope.run.services.ids.make('input');
    const expires_at = this.scope.run.requestExpiry();
    const event = {
      question,
      ...(options && { options }),
      ...(tool_call_id !== undefined && { tool_call_id }),
    };
    await this.scope.request(
      { id, key, kind: 'input', agent_id: agent.id, expires_at, event },
      {
        body: { type: 'INPUT_REQUIRED', request_id: id, ...event, expires_at },
        hidden: tool_call_id === undefined ? { standalone: true } : null,
      },
    );
    return id;
  }
}
