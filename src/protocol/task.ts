import type { z } from 'zod';
import type { Immutable } from './json.js';
import type { TASK_STATUSES, task } from './records/fields.js';

export type TaskStatus = (typeof TASK_STATUSES)[number];

/** One entry of a chat's task board, which people and agents edit alike. */
export type Task = Immutable<z.infer<typeof task>>;
