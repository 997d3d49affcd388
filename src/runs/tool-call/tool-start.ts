import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { Entry } from '../../event-log/append/run-log.js';
import type { Tool } from '../../tools/tool.js';
import type { ProcessTrace } from '../../workspace/processes/process-trace.js';
import type { AgentScope } from '../scope/agent-scope.js';
import type { ToolCallInput } from './tool-call-input.js';

/** A call that may run. */
export interface PassedCall {
  readonly tool: Tool;
  /** What runs: JSON text. */
  readonly tool_input: string;
  /** What the log has yet to be told of how it came to this. */
  readonly told: readonly Entry[];
  /** An earlier run has started it. */
  readonly startedBefore: boolean;
}

/** The moment from which on a call's effect may have taken place (I4). */
export class ToolStart {
  private isRecorded: boolean;
  private recorded: Promise<readonly LogRecord[]> | undefined;

  constructor(
    private readonly scope: AgentScope,
    private readonly input: ToolCallInput,
    private readonly passed: PassedCall,
  ) {
    this.isRecorded = passed.startedBefore;
  }

  /** What is still to be told. */
  get untold(): readonly Entry[] {
    return this.isRecorded ? [] : this.passed.told;
  }

  /** When the call began, in whichever run, in milliseconds. */
  async began(): Promise<number> {
    const earlier = this.scope.journal.findEarlierRecord(this.input.key, 'TOOL_STARTED');
    const record = earlier ?? (await this.recorded)?.at(-1);
    if (!record) throw new TypeError('the call has not begun');
    return Date.parse(record.at);
  }

  /** Committed before the effect begins; where there is none, nobody waits for that. */
  async record(trace?: ProcessTrace): Promise<void> {
    if (this.isRecorded) return;
    this.isRecorded = true;
    const { agent, key, call } = this.input;
    const body = { type: 'TOOL_STARTED', id: call.id, tool_name: call.function.name } as const;
    const entry = { agent_id: agent.id, key, body, hidden: trace };
    this.recorded = this.scope.append([...this.passed.told, entry]);
    if (hasNoEffect(this.passed.tool)) this.scope.track(this.recorded.then(() => {}));
    else await this.recorded;
  }
}

/** Of its own: what it does through `ctx` are steps, which begin for themselves. */
function hasNoEffect({ policy }: Tool): boolean {
  return policy.recovery === 'replay' || (policy.recovery === 'rerun' && policy.read_only);
}

export function isRepeatable({ policy }: Tool): boolean {
  return policy.recovery !== 'report';
}
