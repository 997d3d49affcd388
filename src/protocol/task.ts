import type { z } from 'zod';
import type { Immutable } from './json.js';
import type { task } from './records/fields.js';

export const TASK_STATUSES = ['pending', 'in_progress', 'completed'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** One entry of a chat's task board, which people and agents edit alike. */
export type Task = Immutable<z.infer<typeof task>>;
