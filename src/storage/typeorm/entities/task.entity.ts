import { EntitySchema } from 'typeorm';
import type { Task } from '../../../protocol/task.js';
import { ID, INTEGER, nullable, TEXT, TIME } from './columns.js';

export const TaskEntity = new EntitySchema<Task>({
  name: 'tasks',
  columns: {
    id: { ...ID, primary: true },
    chat_id: ID,
    title: TEXT,
    description: nullable(TEXT),
    status: TEXT,
    version: INTEGER,
    agent_id: nullable(ID),
    created_at: TIME,
    updated_at: TIME,
  },
});
