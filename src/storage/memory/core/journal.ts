import type { InterventionRow } from '../../../persistence/rows/intervention-rows.js';
import type { EventLimits, EventPage, RecordPage } from '../../../persistence/record.store.js';
import type { LogRecord } from '../../../persistence/rows/log-record.js';
import type { NewRequest, Settlement } from '../../../persistence/rows/request-rows.js';
import type {
  InteractionRow,
  InteractionSettings,
} from '../../../persistence/rows/interaction-row.js';
import type { ChatRow, NewChat } from '../../../persistence/rows/chat-rows.js';
import type { RecordType } from '../../../protocol/events.js';
import type { Json } from '../../../protocol/json.js';
import type { Message } from '../../../protocol/message.js';
import type { ChatTexts } from '../../../persistence/chat-texts.js';
import type { InteractionState } from './interaction-state.js';

/** The constant part of an interaction, saved with its first append. */
export interface InteractionStart {
  readonly id: string;
  readonly chat_uid: string;
  readonly chat_id: string;
  readonly tenant_id: string;
  readonly started_by: string;
  /** 1, 2, 3… in the order of the requests for interactions of a chat. */
  readonly ordinal: number;
  readonly created_at: string;
  readonly agent: string;
  readonly agent_id: string;
  readonly model: string;
  readonly settings: InteractionSettings;
  readonly edited_from: string | null;
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
  readonly metadata: Json;
  /** The chat, if this start created it. */
  readonly chat: NewChat | null;
  /** Quotas count no start. */
  readonly imported?: true;
  /** Defined by `StartInteraction.chat_texts`. */
  readonly chat_texts?: ChatTexts;
  /** The ids of files that joined the chat with it. */
  readonly adopts?: readonly string[];
  /** Set if the interaction was queued. */
  readonly queued?: QueuedStart;
}

export interface QueuedStart {
  /** An interaction that began at once has it only in record 1. */
  readonly user_message: string;
  /**
   * The interaction that this start cancels. If it is not cancelled yet when the store is opened,
   * the store cancels it.
   */
  readonly interrupts: string | null;
}

/** An interaction's start with its user message, which may be long and is not kept in memory. */
export interface InteractionHead {
  readonly start: InteractionStart;
  readonly user_message: string;
}

/** The content of one append, except the state after it. */
export interface LogAppend {
  readonly records: readonly LogRecord[];
  readonly requests?: readonly NewRequest[];
  readonly settled?: SettledRequest;
  readonly intervention?: SavedIntervention;
  readonly added_messages?: readonly Message[];
  /** Replaces, before the interaction has begun, the message and the settings in its start. */
  readonly edited?: EditedText;
}

export type EditedText = Pick<InteractionRow, 'user_message' | 'settings'>;

export type FirstAppend = LogAppend & { readonly start: InteractionStart };

export interface SettledRequest {
  readonly id: string;
  readonly settlement: Settlement;
  readonly settled_at: string;
}

/** An intervention in the log's own interaction. */
export type SavedIntervention = Omit<InterventionRow, 'interaction_id'>;

export interface EventsWanted extends EventLimits {
  readonly after: number;
  readonly types?: readonly RecordType[];
}

/** A log entry that is not a record. */
export type LogNote =
  | { readonly request: NewRequest }
  | { readonly settled: SettledRequest }
  | { readonly intervention: SavedIntervention };

/**
 * The log of one interaction: all of its data that is not kept in memory. Readers see committed
 * appends only.
 */
export abstract class RecordLog {
  /**
   * Saves one append atomically, and resolves once it is durable. Calling the returned function
   * shows it to readers; two logs that change together are both saved before either is shown. One
   * writer at a time, which shows each append before the next.
   */
  abstract append(content: LogAppend, state: InteractionState): Promise<() => void>;
  abstract readHead(): Promise<InteractionHead>;
  abstract readRecords(page: RecordPage): Promise<LogRecord[]>;
  /** Without `hidden`; of all types unless some are given. */
  abstract readEvents(page: EventsWanted): Promise<EventPage>;
  abstract readRecordsOfTypes(types: readonly RecordType[]): Promise<LogRecord[]>;
  abstract findToolResult(callId: string): Promise<LogRecord<'TOOL_RESULT'> | undefined>;
  /** In order. */
  abstract readNotes(): Promise<LogNote[]>;
  /** The length of the added messages as JSON, roughly. */
  abstract get addedBytes(): number;
  /** The messages that its last end added. Undefined until the interaction has ended once. */
  abstract readAddedMessages(): Promise<Message[] | undefined>;
  /** About its size. */
  abstract get bytes(): number;
  /** Reverts its creation. */
  abstract remove(): Promise<void>;
}

/** A chat's row, key, first messages and branches. */
export interface ChatSnapshot extends ChatRow, Pick<NewChat, 'data_key' | 'messages'> {
  /** The newest `branch_version` of its interactions that this snapshot includes. */
  readonly branch_version: number;
  /** `superseded_at` of the interactions that are off the active branch, by id. */
  readonly superseded: Readonly<Record<string, string>>;
}

/** The parts of a chat from which the human-readable copies are generated. */
export interface ChangedParts {
  readonly chat?: boolean;
  readonly interactions?: readonly string[];
  readonly requests?: boolean;
}

/** The storage of one chat. It exists once data was saved. */
export abstract class ChatJournal {
  /**
   * Resolves once the first append of a new log is durable. After a failure no data of it remains.
   */
  abstract create(first: FirstAppend, state: InteractionState): Promise<RecordLog>;
  abstract save(chat: ChatSnapshot): Promise<void>;
  /** Once it resolves, the chat is gone; `discard` removes the data. */
  abstract remove(): Promise<void>;
  abstract discard(): Promise<void>;
  /** Moves an imported chat to its final place, atomically. */
  abstract enter(chatUid: string): Promise<void>;
  /** Marks the human-readable copies as stale. */
  abstract refresh(chatUid: string, changed: ChangedParts): void;
  /** Reports to the operator a failure from which the store recovers. */
  abstract report(message: string): void;
}

/** The storage of chats: the interface between the state machine and its persistence. */
export abstract class StoreJournal {
  abstract chat(chatUid: string): ChatJournal;
  /** Creates a chat that readers do not see before it enters. */
  abstract receive(): Promise<ChatJournal>;
  /** Rejects when the storage is not writable. */
  abstract ping(): Promise<void>;
}
