import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { Injectable } from '@nestjs/common';

/** 0: no limit. */
interface CallLimitSettings {
  /** Per interaction, over all its agents. */
  readonly maxToolCalls: number;
  /** Per chat. */
  readonly toolCallsPerMinute: number;
}

interface CallLimitOptions {
  readonly interaction: Pick<InteractionRow, 'id' | 'chat_uid'>;
  readonly settings: CallLimitSettings;
  readonly rates: CallRates;
}

/**
 * Limits on the number of calls: a fold over the log, by its order and times, so that every run
 * decides the same.
 */
export class CallLimits {
  private calls = 0;
  private readonly refusals = new Map<string, string>();

  constructor(private readonly options: CallLimitOptions) {}

  apply(record: LogRecord): void {
    const { body, key, at } = record;
    if (isCall(record)) this.calls++;
    if (body.type !== 'TOOL_CALL' || key === null) return;
    const refusal = this.judge(key, Date.parse(at));
    if (refusal !== undefined) this.refusals.set(key, refusal);
  }

  /** Reason to refuse this call, for the model; undefined if it may begin. */
  refusalOf(key: string): string | undefined {
    return this.refusals.get(key);
  }

  /** Reason to refuse the start of an agent; undefined if it may start. */
  refusalOfFork(): string | undefined {
    const { maxToolCalls } = this.options.settings;
    if (maxToolCalls === 0 || this.calls < maxToolCalls) return undefined;
    return `No more than ${maxToolCalls} tool calls and starts of agents may be made for one message of the user, and they are used up. Go on without a child agent.`;
  }

  private judge(key: string, at: number): string | undefined {
    const { interaction, settings, rates } = this.options;
    const { maxToolCalls, toolCallsPerMinute } = settings;
    if (maxToolCalls > 0 && this.calls > maxToolCalls)
      return `This call did not run: no more than ${maxToolCalls} tool calls may be made for one message of the user, and they are used up. Go on with what you have, and say what is left to do.`;
    const call = { chat_uid: interaction.chat_uid, use_key: `${interaction.id}/${key}`, at };
    if (toolCallsPerMinute > 0 && !rates.admit(call, toolCallsPerMinute))
      return `This call did not run: no more than ${toolCallsPerMinute} tool calls may be made within a minute. Make fewer, or make it later.`;
    return undefined;
  }
}

/** The start of an agent, by its own code or by a tool. */
interface Fork {
  readonly key: string | null;
  /** The call whose tool starts it. */
  readonly tool_call_id?: string | undefined;
}

/** True if the record counts as a tool call. */
export function isCall({ body, key }: Pick<LogRecord, 'body' | 'key'>): boolean {
  if (body.type === 'AGENT_STARTED') return isForkCounted({ ...body, key });
  return body.type === 'TOOL_CALL' && key !== null;
}

/** The first step of a tool call is included in it: a call of the tool `agent` counts once. */
export function isForkCounted({ key, tool_call_id }: Fork): boolean {
  return tool_call_id === undefined || !key?.endsWith('/1');
}

const WINDOW_MS = 60_000;

/** A tool call of a chat, with the time when it was logged. */
interface TimedCall {
  readonly chat_uid: string;
  /** Identifies the call, also when it is reported again. */
  readonly use_key: string;
  /** Milliseconds. */
  readonly at: number;
}

interface Counted {
  readonly at: number;
  readonly isWithin: boolean;
}

/**
 * The tool calls of the last minute, by chat, as far as this process has seen the calls or the logs
 * of their interactions.
 */
@Injectable()
export class CallRates {
  /** By chat, then by call. The chat with the latest call is last. */
  private readonly chats = new Map<string, Map<string, Counted>>();

  /**
   * True if fewer than `limit` calls of the chat were admitted in the preceding minute. The same
   * call gets the same result again.
   */
  admit({ chat_uid, use_key, at }: TimedCall, limit: number): boolean {
    const calls = this.chats.get(chat_uid) ?? new Map<string, Counted>();
    const known = calls.get(use_key);
    if (known) return known.isWithin;
    const lately = [...calls.values()].filter((call) => call.isWithin && isWithin(call.at, at));
    const counted = { at, isWithin: lately.length < limit };
    calls.set(use_key, counted);
    this.chats.delete(chat_uid);
    this.chats.set(chat_uid, calls);
    this.forget(calls, at);
    return counted.isWithin;
  }

  /** Number of chats with remembered calls. */
  get size(): number {
    return this.chats.size;
  }

  private forget(calls: Map<string, Counted>, now: number): void {
    for (const [key, { at }] of calls) if (at <= now - WINDOW_MS) calls.delete(key);
    for (const [chat, others] of this.chats) {
      if ([...others.values()].some(({ at }) => at > now - WINDOW_MS)) break;
      this.chats.delete(chat);
    }
  }
}

function isWithin(at: number, now: number): boolean {
  return at > now - WINDOW_MS && at <= now;
}
