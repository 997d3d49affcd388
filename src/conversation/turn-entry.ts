import type { AssistantMessage, Message, ToolMessage } from '../protocol/message.js';

/** A model turn of a conversation, with the results of its calls so far, by call. */
export interface TurnEntry {
  assistant: AssistantMessage;
  readonly results: Map<string, string>;
}

const NOT_RUN = 'This tool call was not run.';

/**
 * The turn's messages; by default, a call without a result has one that says that it was not run
 * (I8).
 */
export function renderTurn(
  { assistant, results }: TurnEntry,
  ofOpen: (callId: string) => readonly ToolMessage[] = (id) => [toolMessage(id, NOT_RUN)],
): Message[] {
  const answered = (assistant.tool_calls ?? []).flatMap(({ id }) => {
    const output = results.get(id);
    return output === undefined ? ofOpen(id) : [toolMessage(id, output)];
  });
  return [assistant, ...answered];
}

export function toolMessage(tool_call_id: string, content: string): ToolMessage {
  return { role: 'tool', tool_call_id, content };
}

/** Freezes a message before agent code sees it: only the log changes a conversation. */
export function freezeMessage<M extends Message>(message: M): M {
  if (message.role === 'assistant') {
    for (const call of message.tool_calls ?? []) {
      Object.freeze(call.function);
      Object.freeze(call);
    }
    Object.freeze(message.tool_calls);
  }
  return Object.freeze(message);
}
