import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../persistence/rows/store-rows.js';
import type { CallRates } from './call-rates.js';

/** 0: no limit. */
export interface CallLimitSettings {
  /** In one interaction, of all its agents. */
  readonly maxToolCalls: number;
  /** In one chat. */
  readonly toolCallsPerMinute: number;
}

export interface CallLimitOptions {
  readonly interaction: Pick<InteractionRow, 'id' | 'chat_id'>;
  readonly settings: CallLimitSettings;
  readonly rates: CallRates;
}

/** Which calls of an interaction are too many. Told by the order and the times of its log, so it is the same for whoever takes it up. */
export class CallLimits {
  private calls = 0;
  private readonly refusals = new Map<string, string>();

  constructor(private readonly options: CallLimitOptions) {}

  apply({ body, key, at }: LogRecord): void {
    if (body.type !== 'TOOL_CALL' || key === null) return;
    this.calls++;
    const refusal = this.judge(key, Date.parse(at));
    if (refusal !== undefined) this.refusals.set(key, refusal);
  }

  /** Why this call may not begin, for the model; undefined if it may. */
  refusalOf(key: string): string | undefined {
    return this.refusals.get(key);
  }

  private judge(key: string, at: number): string | undefined {
    const { interaction, settings, rates } = this.options;
    const { maxToolCalls, toolCallsPerMinute } = settings;
    if (maxToolCalls > 0 && this.calls > maxToolCalls)
      return `This call did not run: no more than ${maxToolCalls} tool calls may be made for one message of the user, and they are used up. Go on with what you have, and say what is left to do.`;
    const call = { chat_id: interaction.chat_id, use_key: `${interaction.id}/${key}`, at };
    if (toolCallsPerMinute > 0 && !rates.admit(call, toolCallsPerMinute))
      return `This call did not run: no more than ${toolCallsPerMinute} tool calls may be made within a minute. Make fewer, or make it later.`;
    return undefined;
  }
}
