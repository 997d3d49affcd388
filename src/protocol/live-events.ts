import { z } from 'zod';
import type { Immutable } from './json.js';
import { text } from './wire/fields.js';
import { agentFocus, agentState } from './wire/agent.js';
import { chatSummary } from './wire/chat.js';
import { file } from './wire/file.js';
import { interactionStatus, message } from './wire/interaction.js';
import { request } from './wire/request.js';
import { task } from './wire/task.js';

type LiveEvents = ReturnType<typeof build>;
type EventOf<S> = {
  [K in keyof S]: S[K] extends z.ZodType ? Immutable<z.infer<S[K]>> : never;
}[keyof S];

/** An event of a chat's stream that is not one of its interactions. */
export type ChatEvent = EventOf<LiveEvents['chat']>;
/** An event of the feed. */
export type FeedEvent = EventOf<LiveEvents['feed']>;

let built: LiveEvents | undefined;

/** The schemas of both, by type. Built on first use: a start of the server needs none of it. */
export function liveEvents(): LiveEvents {
  built ??= build();
  return built;
}

const REQUEST = {
  ...{ id: 'input_1', kind: 'input', status: 'pending', chat_id: 'chat_1' },
  ...{ interaction_id: 'int_1', agent_id: 'agent_1', created_at: '2026-01-15T10:00:00.000Z' },
  ...{ expires_at: null, settled_at: null, settlement: null },
  ...{ request_id: 'input_1', question: 'Which colour?' },
};
const LISTED = {
  ...{ id: 'chat_1', title: 'Plans', status: 'RUNNING', active_interaction_id: 'int_1' },
  updated_at: '2026-01-15T10:00:00.000Z',
};
const CHAT = {
  ...LISTED,
  ...{ preview: null, agent: null, settings: {}, owner: 'ann', visibility: 'private' },
  head_interaction_id: 'int_1',
  ...{ created_at: '2026-01-15T10:00:00.000Z', metadata: {} },
};
const EXAMPLE = { chat_id: 'chat_1' };

function build() {
  const idOrNull = text.nullable();
  const cursor = idOrNull.describe(
    'For `?cursor=` of the list that has the rest; null: it is whole.',
  );

  const { id, title, status: chatStatus, updated_at, active_interaction_id } = chatSummary.shape;
  const listed = z
    .object({ id, title, status: chatStatus, updated_at, active_interaction_id })
    .describe('A chat in the feed.');

  const gone = z.literal(true).optional();

  const OF_CHAT = { chat_id: text };
  const opened = z.object({ type: z.literal('REQUEST_OPENED'), ...OF_CHAT, request }).meta({
    description: 'A request waits for a person or a client.',
    example: { ...EXAMPLE, request: REQUEST },
  });

  const settled = z.object({ type: z.literal('REQUEST_SETTLED'), ...OF_CHAT, request }).meta({
    description: 'A request waits no more: it was decided, or closed with its interaction.',
    example: {
      ...EXAMPLE,
      request: {
        ...REQUEST,
        ...{ status: 'settled', settled_at: '2026-01-15T10:00:05.000Z' },
        settlement: { kind: 'input', answer: 'Red', by: { kind: 'user', user_id: 'ann' } },
      },
    },
  });

  const queued = z
    .object({
      type: z.literal('INTERACTION_QUEUED'),
      ...OF_CHAT,
      interaction_id: text,
      position: z.int().min(1).describe('In the queue; 1: it is next.'),
      queued: z.array(text).describe('The whole queue, in its order.'),
    })
    .meta({
      description:
        'An interaction waits for its chat. On the stream of the chat again whenever the queue has changed: for one that was edited or moved, and for the first one when another has left.',
      example: { ...EXAMPLE, interaction_id: 'int_2', position: 1, queued: ['int_2'] },
    });

  /** Besides the events of its interactions: what the stream of a chat sends. */
  const chatEvents = {
    CHAT_STATE: z
      .object({
        type: z.literal('CHAT_STATE'),
        ...OF_CHAT,
        chat: chatSummary,
        head_interaction_id: idOrNull,
        active_interaction_id: idOrNull,
        queued: z.array(text).describe('Queued interactions, in the order of the queue.'),
        requests: z.array(request).describe('Pending ones, oldest first; about 256 KiB at most.'),
        requests_cursor: cursor,
        tasks: z.array(task).describe('Oldest first; about 256 KiB at most.'),
        tasks_cursor: cursor,
        messages: z
          .array(message)
          .optional()
          .describe(
            'The conversation that the chat was created with, in the first frame of a stream from the beginning (`after=0`): the first 256 KiB. Other frames leave it out, and so does a chat without one.',
          ),
        messages_cut: gone.describe('There are more messages: `GET /chats/{chat_id}` has all.'),
      })
      .meta({
        description:
          'Everything about the chat but its interactions: the first frame, and again when something may have been missed, or the last interaction was taken out of the queue. Replaces all that the frames before have said.',
        example: {
          ...{ ...EXAMPLE, chat: CHAT, head_interaction_id: 'int_1' },
          ...{ active_interaction_id: 'int_1', queued: [] },
          ...{ requests: [], requests_cursor: null, tasks: [], tasks_cursor: null },
        },
      }),
    CHAT_UPDATED: z
      .object({ type: z.literal('CHAT_UPDATED'), ...OF_CHAT, chat: chatSummary })
      .meta({
        description: 'The chat has changed: title, status, head, active interaction, …',
        example: { ...EXAMPLE, chat: { ...CHAT, title: 'Better plans' } },
      }),
    AGENT_STATE: z
      .object({
        type: z.literal('AGENT_STATE'),
        chat_id: text,
        interaction_id: text,
        agent_id: text,
        state: agentState,
        ...agentFocus.shape,
      })
      .meta({
        description:
          'What an agent does now. Sent while its interaction runs, when it changes; changes in quick succession are told as one.',
        example: {
          ...{ ...EXAMPLE, interaction_id: 'int_1', agent_id: 'agent_1', state: 'executing_tool' },
          ...{ tool_name: 'bash', tool_call_id: 'call_1' },
        },
      }),
    INTERACTION_QUEUED: queued,
    REQUEST_OPENED: opened,
    REQUEST_SETTLED: settled,
    FILE_ADDED: z.object({ type: z.literal('FILE_ADDED'), ...OF_CHAT, file }).meta({
      description: 'A person or an agent has added a file to the chat.',
      example: {
        ...EXAMPLE,
        file: {
          ...{ id: 'file_1', chat_id: 'chat_1', filename: 'report.pdf' },
          ...{ mime_type: 'application/pdf', size_bytes: 48213, sha256: '9f86d081…' },
          ...{ created_at: '2026-01-15T10:00:00.000Z', owner: 'ann' },
        },
      },
    }),
    TASK_UPDATED: z
      .object({ type: z.literal('TASK_UPDATED'), ...OF_CHAT, task, deleted: gone })
      .meta({
        description:
          'A person has changed the task board, without `interaction_id` and `seq`. Changes by agents are records of their interactions.',
        example: {
          ...EXAMPLE,
          task: {
            ...{ id: 'task_1', chat_id: 'chat_1', title: 'Write the test', description: null },
            ...{ status: 'completed', version: 2, agent_id: null },
            created_at: '2026-01-15T10:00:00.000Z',
            updated_at: '2026-01-15T10:00:05.000Z',
          },
        },
      }),
  };

  /** The events of the feed: changes of all chats that the caller sees. */
  const feedEvents = {
    FEED_STATE: z
      .object({
        type: z.literal('FEED_STATE'),
        user_id: text.describe('Of the caller.'),
        chats: z.array(listed).describe('The newest 50.'),
        requests: z.array(request).describe('Pending ones, oldest first; about 512 KiB at most.'),
        requests_cursor: cursor,
      })
      .meta({
        description:
          'The newest chats and the inbox: the first frame, and again when something may have been missed. Replaces all that the frames before have said.',
        example: { user_id: 'ann', chats: [LISTED], requests: [REQUEST], requests_cursor: null },
      }),
    CHAT_UPDATED: z
      .object({
        type: z.literal('CHAT_UPDATED'),
        ...OF_CHAT,
        chat: listed.nullable().describe('null: it is gone, for the caller at least.'),
        deleted: gone,
      })
      .meta({
        description:
          'A chat is new, has changed, or is gone (`deleted`). Put it in the place of the one with this id.',
        example: { ...EXAMPLE, chat: LISTED },
      }),
    INTERACTION_UPDATED: z
      .object({
        type: z.literal('INTERACTION_UPDATED'),
        ...OF_CHAT,
        interaction_id: text,
        status: interactionStatus,
      })
      .meta({
        description: 'An interaction has begun, waits for a person, goes on, or has ended.',
        example: { ...EXAMPLE, interaction_id: 'int_1', status: 'WAITING_INPUT' },
      }),
    INTERACTION_QUEUED: queued,
    REQUEST_OPENED: opened,
    REQUEST_SETTLED: settled,
  };

  return { chat: chatEvents, feed: feedEvents };
}
