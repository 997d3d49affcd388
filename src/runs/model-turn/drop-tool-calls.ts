import type { ModelEvent, ModelRequest } from '../../models/model-provider.js';

/** What of a model's turn was called for: one that was told to call no tool (`tool_choice: 'none'`) and calls some has said only the rest. */
export async function* calledFor(
  { tool_choice }: ModelRequest,
  events: AsyncIterable<ModelEvent>,
): AsyncIterable<ModelEvent> {
  for await (const event of events) {
    if (tool_choice !== 'none') yield event;
    else if (event.type === 'response_completed') yield withoutCalls(event);
    else if (!event.type.startsWith('tool_call_')) yield event;
  }
}

function withoutCalls(
  completed: Extract<ModelEvent, { type: 'response_completed' }>,
): typeof completed {
  const { role, content, tool_calls } = completed.message;
  if (!tool_calls?.length) return completed;
  // What the provider wants back verbatim has the calls in it.
  return { ...completed, message: { role, content }, finish_reason: 'stop' };
}
