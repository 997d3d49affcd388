import type { DeltaEvent, RecordEvent } from '../../client/index.js';
import { sanitizeLine } from '../render/sanitize.js';
import { summarise } from './tool-call.js';

const KEPT_OUTPUT = 2_000;

export interface RunningCall {
  readonly name: string;
  readonly summary: string;
  /** By `performance.now()`; undefined until its side effect begins. */
  started: number | undefined;
  /** The end of its output. */
  output: string;
}

/** The calls that have no result yet, and the arguments that are being written. */
export class RunningCalls {
  private readonly calls = new Map<string, RunningCall>();
  /** The end of the arguments, by their block. */
  private readonly inputs = new Map<string, string>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  takeDelta({ type, block_id, tool_call_id, delta }: DeltaEvent): void {
    if (type === 'TOOL_INPUT_DELTA')
      this.inputs.set(block_id, ((this.inputs.get(block_id) ?? '') + delta).slice(-KEPT_OUTPUT));
    const call = type === 'TOOL_OUTPUT_DELTA' ? this.calls.get(tool_call_id ?? '') : undefined;
    if (call) call.output = (call.output + delta).slice(-KEPT_OUTPUT);
  }

  take(record: RecordEvent): void {
    switch (record.type) {
      case 'TOOL_CALL': {
        this.inputs.delete(record.block_id);
        const { tool_name, tool_input } = record;
        const call = { name: sanitizeLine(tool_name), summary: summarise(tool_input) };
        this.calls.set(record.id, { ...call, started: undefined, output: '' });
        return;
      }
      case 'TOOL_STARTED': {
        const call = this.calls.get(record.id);
        if (call) call.started = this.now();
        return;
      }
      case 'TOOL_RESULT':
        this.calls.delete(record.id);
        return;
      case 'RESUMED':
        this.inputs.clear();
        return;
      case 'INTERACTION_COMPLETE':
        this.inputs.clear();
        this.calls.clear();
        return;
      default:
        return;
    }
  }

  /** Calls whose side effect has begun, oldest first. */
  get started(): RunningCall[] {
    return [...this.calls.values()].filter((call) => call.started !== undefined);
  }

  /** The last line of output of the call that has begun last; empty if it has none. */
  get lastOutput(): string {
    const output = this.started.at(-1)?.output ?? '';
    return sanitizeLine(
      output
        .trimEnd()
        .split(/[\r\n]/)
        .at(-1) ?? '',
    );
  }

  /** The arguments that are being written; undefined if none are. */
  get input(): string | undefined {
    const input = [...this.inputs.values()].at(-1);
    return input === undefined ? undefined : sanitizeLine(input);
  }
}
