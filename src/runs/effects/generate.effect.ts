import type { Message } from '../../protocol/message.js';
import type { AgentIdentity, GenerateOptions, Turn } from '../../agents/agent-context.js';
import type { CompletingRecord } from '../journal/completes.js';
import type { Effect } from '../journal/effect.js';
import { ModelTurn } from '../model-turn/model-turn.js';
import type { AgentScope } from '../scope/agent-scope.js';
import { takeInNotes } from './take-in-notes.js';
import { FittedConversation } from '../model-turn/fitted-conversation.js';
import { turnFailure } from '../model-turn/turn-failed.js';

export interface GenerateInput {
  readonly key: string;
  readonly agent: AgentIdentity;
  readonly options: GenerateOptions;
  /** The agent's conversation as it is now. */
  readonly conversation: readonly Message[];
  /** What of it was there before the message that the agent works on. */
  readonly before: readonly Message[];
}

/** One model turn. */
export class GenerateEffect implements Effect<Turn> {
  readonly key: string;
  readonly label = 'a model turn';

  constructor(
    private readonly scope: AgentScope,
    private readonly input: GenerateInput,
  ) {
    this.key = input.key;
  }

  matches({ body }: CompletingRecord): boolean {
    return body.type === 'TURN_COMPLETED';
  }

  async run(): Promise<void> {
    const { scope } = this;
    const { key, agent, options, conversation } = this.input;
    const told = await takeInNotes(scope, { key, agent });
    const messages = [...(options.messages ?? conversation), ...told];
    const { length } = this.input.before;
    const task = messages[length] === conversation[length] ? length : -1;
    const context = new FittedConversation(scope, { key, agent, options, messages, task });
    await context.takeUp();
    await new ModelTurn(scope, {
      ...{ key, agent, options },
      in_conversation: (options.visible ?? true) && !options.messages,
      request: (model, refusal) => context.request(model, refusal),
    }).ask();
  }

  outcome({ body, hidden }: CompletingRecord): Turn {
    if (body.type !== 'TURN_COMPLETED') throw new TypeError('not a turn');
    if (body.error) throw turnFailure(this.scope, body.error);
    if (!hidden || !('in_conversation' in hidden))
      throw new TypeError('a turn without its message');
    const { message } = hidden;
    return {
      text: message.content ?? '',
      tool_calls: message.tool_calls ?? [],
      finish_reason: body.finish_reason,
      usage: body.usage,
    };
  }
}
