import { z } from 'zod';
import {
  FINAL_STATUSES,
  blockId,
  count,
  decider,
  eventError,
  flag,
  guarded,
  image,
  model,
  stoppedEffect,
  text,
} from '../wire/fields.js';
import { attachedFile } from '../wire/file.js';
import { task } from '../wire/task.js';

/** The conversation was cut to fit the model. Logged, so that a repeated turn sends the same. */
const contextCut = z.object({
  from: count.describe('The first message that is sent unchanged; earlier ones are left out.'),
  summary: text.nullable().describe('Sent in place of those; null: only that they are left out.'),
  references_before: count.describe(
    'Large tool outputs in messages before this one are sent as references.',
  ),
  digest: text.describe(
    'Of the messages that it is about: it holds for conversations that begin with them.',
  ),
  added_from: count
    .optional()
    .describe('The first message that the interaction added; missing in older logs.'),
  unread: count
    .optional()
    .describe('Earlier messages that the run had not loaded: positions do not count them.'),
});

/** A file of the user message, as the model reads it. */
const readFile = z.object({
  id: text,
  text,
  image: image.optional(),
  transcript: z
    .object({ language: text.optional(), duration_ms: count.optional() })
    .optional()
    .describe('It is a recording, and the text is what is said in it.'),
});

const transcript = z.object({
  file_id: text,
  text,
  language: text.optional().describe('As the provider names it.'),
  duration_ms: count.optional(),
});

/** A deferred call has ended. */
const deferredCall = z.object({
  deferred: text.describe('The approval that it settles.'),
  key: text.describe('Of the call. Steps inside the call end with it.'),
  note: text.describe('Read by the agent as a user message.'),
});

export function runRecords() {
  return {
    INTERACTION_STARTED: {
      body: z
        .object({
          type: z.literal('INTERACTION_STARTED'),
          chat_id: text,
          user_message: text,
          agent: text,
          model,
          parent_id: text.nullable().describe('The interaction that this one follows.'),
          edited_from: text.optional().describe('The interaction that this one replaces.'),
          by: decider.optional().describe('Who sent the message; missing in older logs.'),
          files: z
            .array(attachedFile)
            .optional()
            .describe('That came with the message. Sent to readers, and not saved in the record.'),
        })
        .meta({
          description: 'Always the first.',
          example: {
            seq: 1,
            chat_id: 'chat_123',
            user_message: 'What is 6 times 7?',
            agent: 'react',
            model: 'demo/script',
            parent_id: null,
            by: { kind: 'user', user_id: 'ann' },
          },
        }),
    },
    STEP_COMPLETED: {
      body: z
        .object({
          type: z.literal('STEP_COMPLETED'),
          name: text,
          transcripts: z
            .array(transcript)
            .optional()
            .describe('Of the recordings among the files of the message, which the agent reads.'),
        })
        .meta({
          description: 'Another effect of the agent (`ctx.step`) is done.',
          example: { name: 'now' },
        }),
      hidden: z.union([
        z.strictObject({ error: text }),
        guarded.describe('Of the check of the user message.'),
        z.strictObject({ files: z.array(readFile) }).describe('Of the user message.'),
        z.strictObject({ value: z.unknown().optional() }),
      ]),
    },
    CUSTOM: {
      body: z.object({ type: z.literal('CUSTOM'), name: text, data: z.unknown() }).meta({
        description: "An event of the agent's own (`ctx.emit`).",
        example: { name: 'progress', data: { done: 3, of: 10 } },
      }),
      /** Sent by a hook, which is no step. */
      hidden: z.object({ of_hook: z.literal(true) }),
    },
    METADATA_SET: {
      body: z
        .object({
          type: z.literal('METADATA_SET'),
          key: text,
          value: z.unknown().describe('JSON; null removes the key.'),
        })
        .meta({
          description: "The agent sets a key of the interaction's `metadata`.",
          example: { key: 'ticket', value: 'T-17' },
        }),
    },
    TASK_UPDATED: {
      body: z
        .object({
          type: z.literal('TASK_UPDATED'),
          task: task.describe('The task after the change.'),
          deleted: flag.describe('The task was removed from the board.'),
        })
        .meta({
          description: "A tool changed the chat's task board.",
          example: {
            task: {
              id: 'task_1',
              chat_id: 'chat_123',
              title: 'Write the tests',
              description: null,
              status: 'in_progress',
              version: 2,
              agent_id: 'agent_1',
              created_at: '2026-01-15T10:00:00.000Z',
              updated_at: '2026-01-15T10:00:01.000Z',
            },
          },
        }),
    },
    NOTICE: {
      body: z
        .object({
          type: z.literal('NOTICE'),
          code: text,
          message: text,
          void: z.array(blockId).optional().describe('Open blocks that will never be completed.'),
        })
        .meta({
          description: 'About the run itself: a model request is retried, a guardrail intervened.',
          example: {
            code: 'model_retry',
            message: 'demo/script did not answer in time. Trying again in 1 s.',
            void: ['1b0'],
          },
        }),
      hidden: z.union(
        [
          deferredCall,
          z.object({ context: contextCut }),
          z.strictObject({ code: text }),
          z.strictObject({ requirement: text, state: z.enum(['missing', 'met']) }),
        ],
        'is nothing that a notice hides',
      ),
    },
    RESUMED: {
      body: z.object({ type: z.literal('RESUMED'), attempt: count, reason: text }).meta({
        description:
          'The run was lost or given up, and another has taken over; blocks that are still open are void.',
        example: { attempt: 1, reason: 'The server stopped.' },
      }),
    },
    CANCELLED: {
      body: z
        .object({
          type: z.literal('CANCELLED'),
          reason: text,
          by: decider,
          stopped: z.array(stoppedEffect),
        })
        .meta({
          description: 'No part of the interaction is running any more.',
          example: {
            reason: 'Cancelled by the user.',
            by: { kind: 'user', user_id: 'ann' },
            stopped: [{ kind: 'tool', name: 'bash', id: 'call_1', state: 'stopped' }],
          },
        }),
    },
    ERROR: {
      body: z.object({ type: z.literal('ERROR'), ...eventError.shape }).meta({
        description: 'Why the interaction failed.',
        example: { code: 'model_refused', message: 'demo/script refused the request.' },
      }),
    },
    INTERACTION_COMPLETE: {
      body: z
        .object({ type: z.literal('INTERACTION_COMPLETE'), status: z.enum(FINAL_STATUSES) })
        .meta({
          description:
            'Always the last, exactly one. Where an interaction was retried, the former one is sent as a `notice` with the code `retried`.',
          example: { status: 'COMPLETED' },
        }),
    },
  };
}
