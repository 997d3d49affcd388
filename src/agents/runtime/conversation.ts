import type { LogRecord } from '../../log/log-record.js';
import type { DeferredJournal } from './deferred-call.js';
import { interventionText } from './intervention-text.js';
import type { AssistantMessage, Message, ToolMessage } from '../../protocol/message.js';

/** What a TURN_COMPLETED record hides from clients. */
export interface TurnJournal {
  readonly message: AssistantMessage;
  /** Whether the turn belongs to the agent's conversation. */
  readonly in_conversation: boolean;
}

/** What an ANSWER hides that no model turn wrote: a partial one, or a string that the agent returned. */
export interface AnswerJournal {
  readonly standalone: true;
}

type Applicable = Pick<LogRecord, 'body' | 'hidden'> & Partial<Pick<LogRecord, 'key'>>;

interface TurnEntry {
  assistant: AssistantMessage;
  readonly results: Map<string, string>;
}

const NOT_RUN = 'This tool call was not run.';

/**
 * An agent's conversation: a fold over the records of its log. It is always valid for a provider (I8): each call has its
 * result, directly after its assistant message, in the order of the calls.
 */
export class Conversation {
  private readonly entries: (Message | TurnEntry)[] = [];
  private readonly turnOfCall = new Map<string, TurnEntry>();
  /** What people told the agent, by the key of the turn that takes it in: it is there once that turn is. */
  private readonly told = new Map<string | null, string[]>();
  private cached: readonly Message[] | undefined;

  constructor(readonly before: readonly Message[]) {}

  add(message: Message): void {
    this.entries.push(message);
    this.cached = undefined;
  }

  apply({ body, hidden, key = null }: Applicable): void {
    switch (body.type) {
      case 'INTERACTION_STARTED':
        return this.add({ role: 'user', content: body.user_message });
      case 'TURN_COMPLETED': {
        const turn = hidden as TurnJournal | null;
        this.addTold(key);
        return turn?.in_conversation ? this.addTurn(turn.message) : undefined;
      }
      case 'NOTICE': {
        const note = (hidden as DeferredJournal | null)?.note;
        return note === undefined ? undefined : this.add({ role: 'user', content: note });
      }
      case 'TOOL_RESULT':
        return this.addResult(body.id, body.tool_output);
      case 'ANSWER':
        if (!(hidden as AnswerJournal | null)?.standalone) return undefined;
        this.addAllTold();
        return this.add({ role: 'assistant', content: body.content });
      case 'AGENT_INTERVENED':
        return this.tell(key, interventionText(body));
      case 'AGENT_STARTED':
        return this.add({ role: 'user', content: body.prompt });
      case 'AGENT_COMPLETED':
        this.addAllTold();
        return body.status === 'completed' && body.result !== this.lastText()
          ? this.add({ role: 'assistant', content: body.result })
          : undefined;
      case 'APPROVED':
        return body.modified_input && this.replaceArguments(body.tool_call_id, body.modified_input);
      case 'APPROVAL_REQUIRED':
      case 'REJECTED':
      case 'INPUT_REQUIRED':
      case 'INPUT_RECEIVED':
      case 'TOOL_RESULT_REQUIRED':
      case 'THINKING':
      case 'MESSAGE':
      case 'TOOL_CALL':
      case 'TOOL_STARTED':
      case 'STEP_COMPLETED':
      case 'TASK_UPDATED':
      case 'RESUMED':
      case 'CANCELLED':
      case 'ERROR':
        return undefined;
      case 'INTERACTION_COMPLETE':
        return this.addAllTold();
    }
  }

  /** What came before, and what this agent added. */
  get messages(): readonly Message[] {
    this.cached ??= [...this.before, ...this.added()];
    return this.cached;
  }

  /** The last that the agent said without calling a tool; empty when it has said nothing. */
  lastText(): string {
    const last = this.messages.findLast(
      (message) => message.role === 'assistant' && !message.tool_calls,
    );
    return last?.content ?? '';
  }

  added(): Message[] {
    return this.entries.flatMap((entry) => ('assistant' in entry ? render(entry) : [entry]));
  }

  private tell(key: string | null, text: string | undefined): void {
    if (text !== undefined) this.told.set(key, [...(this.told.get(key) ?? []), text]);
  }

  private addTold(key: string | null): void {
    for (const content of this.told.get(key) ?? []) this.add({ role: 'user', content });
    this.told.delete(key);
  }

  /** The turns that took these in don't come any more. */
  private addAllTold(): void {
    for (const key of this.told.keys()) this.addTold(key);
  }

  private addTurn(assistant: AssistantMessage): void {
    const turn = { assistant, results: new Map<string, string>() };
    this.entries.push(turn);
    for (const call of assistant.tool_calls ?? []) this.turnOfCall.set(call.id, turn);
    this.cached = undefined;
  }

  /** The model sees what really ran. */
  private replaceArguments(callId: string, input: object): void {
    const turn = this.turnOfCall.get(callId);
    if (!turn) return;
    const text = JSON.stringify(input);
    const tool_calls = turn.assistant.tool_calls?.map((call) =>
      call.id === callId ? { ...call, function: { ...call.function, arguments: text } } : call,
    );
    turn.assistant = { ...turn.assistant, ...(tool_calls && { tool_calls }) };
    this.cached = undefined;
  }

  private addResult(callId: string, output: string): void {
    this.turnOfCall.get(callId)?.results.set(callId, output);
    this.cached = undefined;
  }
}

function render({ assistant, results }: TurnEntry): Message[] {
  const calls = assistant.tool_calls ?? [];
  return [
    assistant,
    ...calls.map(({ id }): ToolMessage => ({
      role: 'tool',
      tool_call_id: id,
      content: results.get(id) ?? NOT_RUN,
    })),
  ];
}
