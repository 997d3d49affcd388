import type { InterventionRow } from '../../persistence/rows/intervention-rows.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { NewRequest, Settlement } from '../../persistence/rows/request-rows.js';
import type { InteractionSettings } from '../../persistence/rows/interaction-row.js';
import type { ChatRow, NewChat } from '../../persistence/rows/store-rows.js';
import type { RecordType } from '../../protocol/events.js';
import type { Json } from '../../protocol/json.js';
import type { Message } from '../../protocol/message.js';
import type { InteractionState } from './interaction-state.js';

/** The constant part of an interaction, saved with its first append. */
export interface InteractionStart {
  readonly id: string;
  readonly chat_id: string;
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
  /** Given if it was queued. */
  readonly queued?: QueuedStart;
}

export interface QueuedStart {
  /** One that began at once has it in record 1 only. */
  readonly user_message: string;
  /** The interaction that this start cancels: a store that finds it uncancelled at its start does so. */
  readonly interrupts: string | null;
}

/** An interaction's start with its user message, which may be long and is not kept in memory. */
export interface InteractionHead {
  readonly start: InteractionStart;
  readonly user_message: string;
}

/** Everything that one append saves, besides the state after it. */
export interface LogAppend {
  readonly records: readonly LogRecord[];
  readonly requests?: readonly NewRequest[];
  readonly settled?: SettledRequest;
  readonly intervention?: SavedIntervention;
  readonly added_messages?: readonly Message[];
}

export type FirstAppend = LogAppend & { readonly start: InteractionStart };

export interface SettledRequest {
  readonly id: string;
  readonly settlement: Settlement;
  readonly settled_at: string;
}

/** Of the log's own interaction. */
export type SavedIntervention = Omit<InterventionRow, 'interaction_id'>;

/** An entry of a log that is no record. */
export type LogNote =
  | { readonly request: NewRequest }
  | { readonly settled: SettledRequest }
  | { readonly intervention: SavedIntervention };

/** The log of one interaction: everything of it that is not kept in memory. Readers see committed appends only. */
export abstract class RecordLog {
  /**
   * Saves one append, all of it or nothing, and resolves once it is durable. Calling the answer
   * shows it to readers; two logs that change together are both saved before either is shown.
   * One writer at a time, who shows each append before the next.
   */
  abstract append(content: LogAppend, state: InteractionState): Promise<() => void>;
  abstract readHead(): Promise<InteractionHead>;
  abstract readRecords(page: { after: number; limit: number }): Promise<LogRecord[]>;
  abstract readRecordsOfTypes(types: readonly RecordType[]): Promise<LogRecord[]>;
  /** In order. */
  abstract readNotes(): Promise<LogNote[]>;
  /** Undefined until the interaction has ended. */
  abstract readAddedMessages(): Promise<Message[] | undefined>;
  /** Undoes its creation. */
  abstract remove(): Promise<void>;
}

/** A chat's row and branches. */
export interface ChatSnapshot extends ChatRow {
  /** The newest `branch_version` of its interactions that this takes account of. */
  readonly branch_version: number;
  /** `superseded_at` of the interactions that are off the active branch, by id. */
  readonly superseded: Readonly<Record<string, string>>;
}

/** Parts of a chat that readable copies are made of. */
export interface ChangedParts {
  readonly chat?: boolean;
  readonly interactions?: readonly string[];
  readonly requests?: boolean;
}

/** Where one chat is saved. It exists once anything was saved. */
export abstract class ChatJournal {
  /** Resolves once the first append of a new log is durable; after a failure nothing is left of it. */
  abstract create(first: FirstAppend, state: InteractionState): Promise<RecordLog>;
  abstract save(chat: ChatSnapshot): Promise<void>;
  /** Once it resolves, the chat is gone; `discard` removes the data. */
  abstract remove(): Promise<void>;
  abstract discard(): Promise<void>;
  /** Gives a received chat its place, all of it at once. */
  abstract enter(chatId: string): Promise<void>;
  /** Tells that readable copies are stale. */
  abstract refresh(chatId: string, changed: ChangedParts): void;
  /** Tells the operator of a failure that the store recovers from. */
  abstract report(message: string): void;
}

/** Where chats are saved: the seam between the state machine and its storage. */
export abstract class Journal {
  abstract chat(chatId: string): ChatJournal;
  /** A chat that no reader sees before it enters. */
  abstract receive(): Promise<ChatJournal>;
  /** Rejects when nothing can be saved. */
  abstract ping(): Promise<void>;
}
