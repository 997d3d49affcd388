import { EventStream } from './follow.js';
import type { FollowOptions } from './follow.js';
import { groupsOf } from './groups.js';
import type { StartOptions } from './groups.js';
import { Http } from './http.js';
import type { ClientOptions } from './http.js';
import { makeRequest, makeSendRaw, segment } from './request.js';
import type { Body, ChatStreamEvent, FeedEvent, StreamEvent } from './types.js';
import { transcribe } from './transcribe.js';
import type { TranscribeOptions } from './transcribe.js';
import { upload } from './upload.js';
import type { UploadOptions } from './upload.js';

/** How to follow what is started. */
export type FollowStartOptions = Omit<FollowOptions, 'cursor'> & StartOptions;
export type Client = ReturnType<typeof createClient>;

/**
 * A client of one server, with one credential. Requests fail with a `ParleyError`, and are not
 * repeated; streams go on by themselves.
 * @throws TypeError if the address is not one
 */
export function createClient(options: ClientOptions) {
  const http = new Http(options);
  const sendRaw = makeSendRaw(http);
  const request = makeRequest(http, sendRaw);
  const groups = groupsOf(request, sendRaw);
  return {
    ...groups,
    files: {
      ...groups.files,
      upload: (file: Blob, more?: UploadOptions) => upload(http, file, more),
    },
    audio: {
      ...groups.audio,
      transcribe: (recording: Blob, more?: TranscribeOptions) => transcribe(http, recording, more),
    },
    /** Any operation, typed by its method and path. */
    request,
    /** Sends a message, and follows its interaction. The chat is created if it is new. */
    start: (chat_id: string, body: Body<'interactions_start'>, more?: FollowStartOptions) =>
      begin(http, { chat_id, path: interactionsOf(chat_id), body }, more),
    /** The same, with a message in place of an earlier one. */
    edit: (
      chat_id: string,
      interaction_id: string,
      body: Body<'interactions_edit'>,
      more?: FollowStartOptions,
    ) => begin(http, { chat_id, path: `${pathOf(chat_id, interaction_id)}/edit`, body }, more),
    /** The events of one interaction: from its first record, or after the cursor. */
    follow: (chat_id: string, interaction_id: string, more: FollowOptions = {}) =>
      new EventStream<StreamEvent>(
        ({ cursor, signal }) => openAt(http, eventsOf(chat_id, interaction_id), cursor, signal),
        more,
        { interaction_id },
      ),
    chat: (chat_id: string) => ({
      /**
       * All that happens in the chat: from what runs now, or after the cursor; '0' is the
       * beginning.
       */
      events: (more: FollowOptions = {}) =>
        new EventStream<ChatStreamEvent>(
          ({ cursor, signal }) => openAt(http, `/chats/${segment(chat_id)}/events`, cursor, signal),
          more,
        ),
    }),
    /** Changes of all chats that the caller sees, and the inbox. */
    feed: (more: Omit<FollowOptions, 'cursor'> = {}) =>
      new EventStream<FeedEvent>(
        ({ cursor, signal }) => openAt(http, '/events', cursor, signal),
        more,
      ),
  };
}

/** Repeats the start with one key until the interaction is known, and follows that from then on. */
function begin(
  http: Http,
  { chat_id, path, body }: { chat_id: string; path: string; body: object },
  { idempotency_key = newKey(), ...options }: FollowStartOptions = {},
): EventStream<StreamEvent> {
  const headers = { accept: 'text/event-stream', 'idempotency-key': idempotency_key };
  return new EventStream(
    ({ cursor, interaction_id, signal }) =>
      interaction_id === undefined
        ? http.send('POST', path, { body, headers, signal })
        : openAt(http, eventsOf(chat_id, interaction_id), cursor, signal),
    options,
    {},
  );
}

function openAt(
  http: Http,
  path: string,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const headers = { accept: 'text/event-stream', 'last-event-id': cursor };
  return http.send('GET', path, { headers, signal });
}

function interactionsOf(chatId: string): string {
  return `/chats/${segment(chatId)}/interactions`;
}

function pathOf(chatId: string, interactionId: string): string {
  return `${interactionsOf(chatId)}/${segment(interactionId)}`;
}

function eventsOf(chatId: string, interactionId: string): string {
  return `${pathOf(chatId, interactionId)}/events`;
}

/** `crypto.randomUUID` is missing in pages that come over plain HTTP. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
