import { objectText } from '../../kernel/json/bounded-json.js';
import { parseArguments } from '../../tools/core/check-arguments.js';
import { GuardedResult, guardedAgent, redactedEntries } from '../guarding/guard-output.js';
import type { AgentScope } from '../scope/agent-scope.js';
import type { ToolCallInput } from './tool-call-input.js';
import type { Executed } from './tool-run.js';

/** Asks the client to run a call of a tool that it declared, and waits for its result. */
export async function runClientCall(
  scope: AgentScope,
  { key, agent, call }: ToolCallInput,
  written: string,
): Promise<Executed> {
  const tool_input = objectText(written);
  const parsed = parseArguments(call.function, tool_input);
  if (!parsed.ok) return { output: parsed.fault, is_error: true, duration_ms: 0, told: [] };
  const began = scope.run.services.clock.monotonic();
  const asked = scope.run.journal.findProgress(key, 'TOOL_RESULT_REQUIRED');
  const request_id = asked?.body.request_id ?? scope.run.services.ids.make('input');
  if (!asked) {
    const event = { tool_call_id: call.id, tool_name: call.function.name, tool_input };
    const expires_at = scope.run.requestExpiry();
    await scope.request(
      { id: request_id, key, kind: 'tool', agent_id: agent.id, expires_at, event },
      { body: { type: 'TOOL_RESULT_REQUIRED', request_id, ...event }, hidden: null },
    );
  }
  const settlement = await scope.waitFor(request_id, 'tool');
  const duration_ms = Math.round(scope.run.services.clock.monotonic() - began);
  scope.run.services.telemetry.emit('tool_returned', { tool: undefined, duration_ms });
  if (settlement.kind !== 'tool') throw new TypeError('not the result of a tool');
  const { tool_output, is_error, by } = settlement;
  const guarded = new GuardedResult(scope.run, guardedAgent(agent));
  const read = scope.run.services.executor.limit(await guarded.read(tool_output));
  const { tripwire } = guarded;
  const redacted = redactedEntries(agent.id, 'The result of the client', settlement.redacted);
  const told = [...redacted, ...guarded.remarks()];
  return { ...read, is_error, duration_ms, told, tripwire, by };
}
