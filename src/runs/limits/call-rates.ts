import { Injectable } from '@nestjs/common';

const WINDOW_MS = 60_000;

/** A tool call of a chat, when the log was told of it. */
export interface TimedCall {
  readonly chat_id: string;
  /** The same whenever this call is told of. */
  readonly use_key: string;
  /** Milliseconds. */
  readonly at: number;
}

interface Counted {
  readonly at: number;
  readonly isWithin: boolean;
}

/** The tool calls of the last minute, by chat, as far as this process has seen them or their interaction's log. */
@Injectable()
export class CallRates {
  /** By chat, then by call. The chat that called last is last. */
  private readonly chats = new Map<string, Map<string, Counted>>();

  /** Whether fewer than `limit` calls of the chat were let through in the minute before; the same answer for the same call. */
  admit({ chat_id, use_key, at }: TimedCall, limit: number): boolean {
    const calls = this.chats.get(chat_id) ?? new Map<string, Counted>();
    const known = calls.get(use_key);
    if (known) return known.isWithin;
    const lately = [...calls.values()].filter((call) => call.isWithin && isWithin(call.at, at));
    const counted = { at, isWithin: lately.length < limit };
    calls.set(use_key, counted);
    this.chats.delete(chat_id);
    this.chats.set(chat_id, calls);
    this.forget(calls, at);
    return counted.isWithin;
  }

  /** Chats of which calls are remembered. */
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
