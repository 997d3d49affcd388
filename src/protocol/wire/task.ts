import { z } from 'zod';
import { components } from './components.js';
import type { Immutable } from '../json.js';
import { count, text, time } from './fields.js';
import { pageOf } from './page.js';
import { problem } from './problem.js';

export const TASK_STATUSES = ['pending', 'in_progress', 'completed'] as const;

export const task = z
  .object({
    id: text.meta({ example: 'task_0199c0de-0000-7000-8000-000000000000' }),
    chat_id: text.meta({ example: 'chat_123' }),
    title: text.meta({ example: 'Write the failing test' }),
    description: text.nullable(),
    status: z.enum(TASK_STATUSES),
    version: count.describe('The number of changes, from 1; sent back to detect lost updates.'),
    agent_id: text.nullable().describe('The agent that changed it last; null: a person.'),
    created_at: time,
    updated_at: time,
  })
  .describe("One entry of a chat's task board, which people and agents edit alike.")
  .register(components, { id: 'Task' });

export const taskList = pageOf(task, 'Oldest first.').register(components, { id: 'TaskList' });

export const taskChanged = problem
  .extend({ task: task.describe('The current state of the task.') })
  .describe('`task_changed`')
  .register(components, { id: 'TaskChanged' });

export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Entry of a chat's task board, which people and agents edit alike. */
export type Task = Immutable<z.infer<typeof task>>;
export type TaskList = Immutable<z.infer<typeof taskList>>;
