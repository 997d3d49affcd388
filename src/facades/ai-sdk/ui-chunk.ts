import type { RecordEvent, RecordType } from '../../protocol/events.js';
import type { Usage } from '../../protocol/interaction.js';

/** Major versions of the package `ai` whose clients are served. */
export const AI_SDK_VERSIONS = [5, 6, 7] as const;
export type AiSdkVersion = (typeof AI_SDK_VERSIONS)[number];

/** A record event of the type. */
export type EventOf<T extends RecordType> = Extract<RecordEvent, { readonly type: T }>;

type Json = Readonly<Record<string, unknown>>;

/** For pages to show beside a message; a request to continue it sends it back. */
export interface MessageMetadata {
  readonly parley: {
    readonly chat_id?: string;
    readonly interaction_id?: string;
    readonly agent?: string;
    readonly model?: string;
    /** The last record that the message shows. */
    readonly seq?: number;
    /** `WAITING`: it waits for a person or a client. */
    readonly status?: 'WAITING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
    readonly usage?: Usage;
    /** Set by the agent. */
    readonly metadata?: Json;
  };
}

export type FinishReason =
  'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other' | 'interrupted';

/** A call as a part of the message. */
interface CallInput {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** True: the server runs it. */
  readonly providerExecuted?: boolean;
  readonly providerMetadata?: { readonly parley: Json };
}

/** A frame of a UI message stream, of the types that the server sends. */
export type UiChunk =
  | {
      readonly type: 'start';
      readonly messageId: string;
      readonly messageMetadata: MessageMetadata;
    }
  | { readonly type: 'start-step' | 'finish-step' | 'reset-step' }
  | {
      readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end';
      readonly id: string;
    }
  | {
      readonly type: 'text-delta' | 'reasoning-delta';
      readonly id: string;
      readonly delta: string;
    }
  | ({ readonly type: 'tool-input-available' } & CallInput)
  | ({ readonly type: 'tool-input-error'; readonly errorText: string } & CallInput)
  | {
      readonly type: 'tool-approval-request';
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly approvalDescriptor?: Json;
      readonly reason?: string;
      readonly isAutomatic?: boolean;
    }
  | {
      readonly type: 'tool-approval-response';
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string;
    }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: unknown;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | {
      readonly type: `data-${string}`;
      readonly id?: string;
      readonly data: Json;
      readonly transient?: true;
    }
  | { readonly type: 'message-metadata'; readonly messageMetadata: MessageMetadata }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'abort'; readonly reason?: string }
  | {
      readonly type: 'finish';
      readonly finishReason: FinishReason;
      readonly messageMetadata: MessageMetadata;
    };
