import type { LogRecord } from '../../persistence/rows/log-record.js';
import { canonicalJson } from '../../kernel/json/json.js';
import { judgedArguments } from '../../tools/core/check-arguments.js';
import type { RecordOf } from '../../protocol/events.js';

/** This many identical calls in a row look like a loop. */
const MAX_SAME_CALLS = 3;

/** Identical consecutive calls of one agent. */
interface Streak {
  readonly signature: string;
  /** Number of calls since one had a new result, or a person allowed one. */
  count: number;
  readonly keys: Set<string>;
  /** The last result; null: an error. */
  last?: string | null;
}

/** Finds calls that look like a loop: a fold over the log, so that every run decides the same. */
export class RepeatedCalls {
  /** By agent. */
  private readonly streaks = new Map<string, Streak>();
  private readonly repeated = new Map<string, string>();

  apply({ body, key, agent_id }: LogRecord): void {
    if (key === null) return;
    if (body.type === 'TOOL_CALL') return this.call(key, agent_id, body);
    const streak = this.streaks.get(agent_id);
    if (!streak?.keys.has(key)) return;
    if (body.type === 'APPROVED' && body.by.kind === 'user') streak.count = 0;
    if (body.type === 'TOOL_RESULT') takeResult(streak, body);
  }

  /** Reason why this call looks like a loop, for people and the model; undefined if it doesn't. */
  reasonFor(key: string): string | undefined {
    return this.repeated.get(key);
  }

  private call(key: string, agentId: string, call: RecordOf<'TOOL_CALL'>): void {
    // a loop of a program is not a loop of the model
    if (call.parent_tool_call_id !== undefined) return;
    const signature = `${call.tool_name} ${canonical(call.tool_input)}`;
    const known = this.streaks.get(agentId);
    const streak =
      known?.signature === signature ? known : { signature, count: 0, keys: new Set<string>() };
    this.streaks.set(agentId, streak);
    streak.keys.add(key);
    if (++streak.count >= MAX_SAME_CALLS)
      this.repeated.set(
        key,
        `The agent calls ${call.tool_name} with the same input ${streak.count} times in a row, and nothing new came of it.`,
      );
  }
}

/** A result that differs from the last one restarts the streak with this call. */
function takeResult(streak: Streak, { is_error, tool_output }: RecordOf<'TOOL_RESULT'>): void {
  const result = is_error ? null : tool_output;
  if (result !== null && streak.last !== undefined && streak.last !== result) streak.count = 1;
  streak.last = result;
}

/** Text that is not JSON is compared unchanged. */
function canonical(text: string): string {
  try {
    return canonicalJson(judgedArguments(text));
  } catch {
    return text;
  }
}
