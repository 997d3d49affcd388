import { readInstead } from '../guardrails/input-judgement.js';
import type { InputJudgement } from '../guardrails/input-judgement.js';
import type { RecordOf } from '../protocol/events.js';
import type { AssistantMessage, Message, UserMessage } from '../protocol/message.js';

const NO_ANSWER = '[The user declined to answer, or did not answer in time.]';

/** Questions of an agent's own code; each joins its conversation together with the answer. */
export class Questions {
  /** Unanswered ones, by request. */
  private readonly open = new Map<string, string>();
  private readonly asked = new WeakSet<Message>();

  ask({ request_id, question, options = [] }: RecordOf<'INPUT_REQUIRED'>): void {
    this.open.set(request_id, [question, ...options.map((each) => `- ${each}`)].join('\n'));
  }

  /**
   * The question and its answer; undefined if a tool asked.
   * @param judgement only if the agent has got the answer
   */
  answer(
    { request_id, answer }: RecordOf<'INPUT_RECEIVED'>,
    judgement: InputJudgement | undefined,
  ): readonly [AssistantMessage, UserMessage] | undefined {
    const content = this.open.get(request_id);
    if (content === undefined) return undefined;
    this.open.delete(request_id);
    const question: AssistantMessage = { role: 'assistant', content };
    this.asked.add(question);
    const read = judgement && (readInstead(judgement) ?? answer);
    return [question, { role: 'user', content: read ?? NO_ANSWER }];
  }

  /** True for a question that has joined the conversation. */
  has(message: Message): boolean {
    return this.asked.has(message);
  }

  /** The same open questions. */
  copy(): Questions {
    const copy = new Questions();
    for (const [id, question] of this.open) copy.open.set(id, question);
    return copy;
  }
}
