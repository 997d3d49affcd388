import type { RecordEvent, RecordType } from '../../protocol/events.js';

/** A record event of the type. */
export type EventOf<T extends RecordType> = Extract<RecordEvent, { readonly type: T }>;

export type Json = Readonly<Record<string, unknown>>;

/** `1.0` for clients that send `protocolVersion`; those before it know fewer outcomes. */
export type AgUiVersion = '1.0' | '0.0';

/** The child agent that an event or a message is of; left out for the root agent. */
export interface Attributed {
  readonly subagentRunId?: string;
}

export interface AgUiToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A message as clients keep it and send it back. */
export type AgUiMessage = Attributed & { readonly id: string } & (
    | { readonly role: 'user' | 'system'; readonly content: string }
    | {
        readonly role: 'assistant';
        readonly content?: string;
        readonly toolCalls?: readonly AgUiToolCall[];
      }
    | {
        readonly role: 'tool';
        readonly toolCallId: string;
        readonly content: string;
        readonly metadata?: Json;
      }
    | { readonly role: 'reasoning'; readonly content: string }
  );

/** Something that a run waits for; the next request answers it in `resume`. */
export interface AgUiInterrupt extends Attributed {
  readonly id: string;
  readonly reason: 'tool_call' | 'input_required';
  readonly message: string;
  readonly toolCallId?: string;
  readonly responseSchema: Json;
  readonly expiresAt?: string;
  readonly metadata: { readonly parley: Json };
}

/** Tokens of one model. */
export interface AgUiUsage {
  readonly provider: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
}

export type RunOutcome =
  | { readonly type: 'success'; readonly pendingToolCallIds?: readonly string[] }
  | { readonly type: 'interrupt'; readonly interrupts: readonly AgUiInterrupt[] }
  | { readonly type: 'cancelled' };

export interface RunIds {
  readonly threadId: string;
  readonly runId: string;
}

interface Metadata {
  readonly metadata?: { readonly parley: Json };
}

/** The events of the protocol that the server sends. */
export type AgUiEvent = Metadata &
  Attributed &
  (
    | ({
        readonly type: 'RUN_STARTED';
        readonly protocolVersion?: '1.0';
        readonly parentRunId?: string;
      } & RunIds)
    | ({
        readonly type: 'RUN_FINISHED';
        readonly outcome: RunOutcome;
        readonly usage: readonly AgUiUsage[];
      } & RunIds)
    | {
        readonly type: 'RUN_ERROR';
        readonly message: string;
        readonly code: string;
        readonly usage?: readonly AgUiUsage[];
      }
    | { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string }
    | {
        readonly type: 'TEXT_MESSAGE_START';
        readonly messageId: string;
        readonly role: 'assistant';
      }
    | {
        readonly type: 'REASONING_MESSAGE_START';
        readonly messageId: string;
        readonly role: 'reasoning';
      }
    | {
        readonly type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT';
        readonly messageId: string;
        readonly delta: string;
      }
    | {
        readonly type:
          'TEXT_MESSAGE_END' | 'REASONING_START' | 'REASONING_MESSAGE_END' | 'REASONING_END';
        readonly messageId: string;
      }
    | {
        readonly type: 'TOOL_CALL_START';
        readonly toolCallId: string;
        readonly toolCallName: string;
        readonly parentMessageId?: string;
      }
    | { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string }
    | { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string }
    | {
        readonly type: 'TOOL_CALL_RESULT';
        readonly messageId: string;
        readonly toolCallId: string;
        readonly content: string;
        readonly role: 'tool';
      }
    | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly unknown[] }
    | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: Json }
    | { readonly type: 'STATE_DELTA'; readonly delta: readonly Json[] }
    | { readonly type: 'CUSTOM'; readonly name: string; readonly value: unknown }
    | {
        readonly type: 'SUBAGENT_STARTED';
        readonly subagentRunId: string;
        readonly name: string;
        readonly description: string;
        readonly parentSubagentRunId?: string;
        readonly parentToolCallId?: string;
      }
    | {
        readonly type: 'SUBAGENT_FINISHED';
        readonly subagentRunId: string;
        readonly result?: string;
        readonly outcome:
          | { readonly type: 'success' }
          | { readonly type: 'suspended'; readonly interruptIds: readonly string[] };
      }
    | {
        readonly type: 'SUBAGENT_ERROR';
        readonly subagentRunId: string;
        readonly message: string;
        readonly code: string;
      }
  );
