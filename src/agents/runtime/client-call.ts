import { parseArguments } from '../../tools/parse-arguments.js';
import type { ToolExecution } from '../../tools/tool-executor.js';
import type { RunScope } from './run-scope.js';
import type { ToolCallInput } from './tool-call-input.js';

/** Has the client run a call of a tool that it declared, and waits for the result that it sends. */
export async function runClientCall(
  scope: RunScope,
  { key, agent, call }: ToolCallInput,
  tool_input: string,
): Promise<ToolExecution> {
  const parsed = parseArguments(call.function.name, tool_input);
  if (!parsed.ok) return { output: parsed.fault, is_error: true, duration_ms: 0 };
  const began = scope.services.clock.monotonic();
  const asked = scope.journal.findEarlier(key, 'TOOL_RESULT_REQUIRED');
  const request_id = asked?.request_id ?? scope.services.ids.make('input');
  if (!asked) {
    const event = { tool_call_id: call.id, tool_name: call.function.name, tool_input };
    const expires_at = scope.expiry();
    await scope.request(
      { id: request_id, key, kind: 'tool', agent_id: agent.id, expires_at, event },
      { type: 'TOOL_RESULT_REQUIRED', request_id, ...event },
    );
  }
  const settlement = await scope.waitFor(request_id, 'tool');
  const duration_ms = Math.round(scope.services.clock.monotonic() - began);
  if (settlement.kind !== 'tool') throw new TypeError('not the result of a tool');
  const { tool_output, is_error } = settlement;
  return { ...scope.services.executor.limit(tool_output), is_error, duration_ms };
}
