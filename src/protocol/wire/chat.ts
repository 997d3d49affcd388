import { z } from 'zod';
import { components } from './components.js';
import { APPROVAL_MODES } from '../chat-settings.js';
import type { Immutable } from '../json.js';
import { VISIBILITIES, budget, count, json, text, thinking, time, usage } from './fields.js';
import { interaction, interactionStatus, messages } from './interaction.js';
import { pageOf } from './page.js';

/** Defaults of the interactions of a chat, as the server answers with them. */
export const chatSettings = z
  .object({
    agent: text.optional().describe('The kind of agent.'),
    model: text.optional().describe('`<provider>/<name>`, or several separated by commas.'),
    thinking: thinking.optional(),
    approval_mode: z.enum(APPROVAL_MODES).optional(),
    max_iterations: count.optional(),
    budget: budget.optional(),
    system_prompt: text.optional().describe('Replaces the system prompt of the agent.'),
    workspace: text.optional().describe('Absolute path of the folder that the agents work in.'),
    context_messages: count
      .optional()
      .describe('The agent sees only so many of the last messages.'),
  })
  .describe(
    'What the interactions of a chat start with unless their message says otherwise. A field that is left out is that of the agent, or of the server.',
  )
  .register(components, { id: 'ChatSettings' });

export const chatSummary = z
  .object({
    id: text.meta({ example: 'chat_123' }),
    title: text.nullable().meta({
      description: 'Unless it was given, the beginning of the first message.',
      example: 'What is 6*7, and what time is it?',
    }),
    preview: text.nullable().meta({
      description:
        'The beginning of the last message or answer of the active branch, at most 200 characters on one line.',
      example: '42, and it is ten.',
    }),
    agent: text
      .nullable()
      .describe('The kind of agent for its interactions: that of the settings.'),
    settings: chatSettings,
    owner: text.meta({ description: 'The user who created it.', example: 'ann' }),
    visibility: z
      .enum(VISIBILITIES)
      .describe(
        '`private`: for its owner and admins of the tenant; `tenant`: for all of the tenant.',
      ),
    head_interaction_id: text.nullable().describe('The last interaction of the active branch.'),
    active_interaction_id: text
      .nullable()
      .describe('The interaction that runs or waits for a person; null: none does.'),
    status: interactionStatus
      .nullable()
      .describe(
        'Of the active interaction, else QUEUED if any waits, else of the head; null: nothing was said yet.',
      ),
    created_at: time,
    updated_at: time.describe('When it was changed, or an interaction of it began or ended.'),
    metadata: json,
  })
  .describe('A chat in a list: all but its messages and interactions.')
  .register(components, { id: 'ChatSummary' });

export const chat = chatSummary
  .extend({
    messages: messages.describe('The conversation that it starts from.'),
    interactions: z
      .array(interaction)
      .describe(
        'In the order in which they began, queued ones last; with `include=superseded` in the order of the requests. About 8 MiB at most.',
      ),
    next_before: text
      .nullable()
      .describe('The value of `before` for the earlier interactions; null if there are none.'),
    usage: usage.describe('Of all its interactions, also those off the active branch.'),
  })
  .describe('A chat with its conversation.')
  .register(components, { id: 'Chat' });

export const chatList = pageOf(chatSummary, 'Newest first, in the order asked for.').register(
  components,
  { id: 'ChatList' },
);

const importProblem = z
  .object({
    line: z.int().describe('Numbered from 1.'),
    message: text.meta({ example: 'The line is not valid JSON.' }),
  })
  .register(components, { id: 'ImportProblem' });

const importReport = z
  .object({
    interactions: z.int(),
    records: z.int().describe('Including those that the import added to end interactions.'),
    files: z.int().optional().describe('Of an archive.'),
    problems: z.array(importProblem).describe('The first hundred faults.'),
  })
  .register(components, { id: 'ImportReport' });

export const importedChat = chat
  .extend({ import: importReport })
  .register(components, { id: 'ImportedChat' });

/** A chat in a list: everything but its messages and interactions, and sums over these. */
export type ChatSummary = Immutable<z.infer<typeof chatSummary>>;
export type Chat = Immutable<z.infer<typeof chat>>;
export type ImportReport = Immutable<z.infer<typeof importReport>>;
export type ImportProblem = Immutable<z.infer<typeof importProblem>>;
export type ImportedChat = Immutable<z.infer<typeof importedChat>>;
export type ChatSettings = Immutable<z.infer<typeof chatSettings>>;
export type ChatList = Immutable<z.infer<typeof chatList>>;
