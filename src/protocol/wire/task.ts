import { z } from 'zod';
import { components } from './components.js';
import type { Immutable } from '../json.js';
import { TASK_STATUSES, task } from '../records/fields.js';
import { pageOf } from './page.js';
import { problem } from './problem.js';

export const taskList = pageOf(task, 'Oldest first.').register(components, { id: 'TaskList' });

export const taskChanged = problem
  .extend({ task: task.describe('The current state of the task.') })
  .describe('`task_changed`')
  .register(components, { id: 'TaskChanged' });

export type TaskStatus = (typeof TASK_STATUSES)[number];

/** One entry of a chat's task board, which people and agents edit alike. */
export type Task = Immutable<z.infer<typeof task>>;
export type TaskList = Immutable<z.infer<typeof taskList>>;
