import { describe, expect, it } from '@jest/globals';
import type { Task } from 'parley/client';
import { columnsOf, differences, withPending } from './columns';

function task(id: string, more: Partial<Task> = {}): Task {
  const created_at = `2026-01-0${id}T00:00:00.000Z`;
  return {
    id,
    title: id,
    description: null,
    status: 'pending',
    version: 1,
    created_at,
    ...more,
  } as Task;
}

describe(columnsOf.name, () => {
  it('has each status, the oldest task first', () => {
    const columns = columnsOf([task('3'), task('1'), task('2', { status: 'completed' })]);
    expect(columns.pending.map(({ id }) => id)).toEqual(['1', '3']);
    expect(columns.completed.map(({ id }) => id)).toEqual(['2']);
    expect(columns.in_progress).toEqual([]);
  });
});

describe(withPending.name, () => {
  const tasks = [task('1', { version: 3 })];

  it('shows a change until the server has told it, or a later one', () => {
    const status = 'completed';
    expect(withPending(tasks, { 1: { status, version: null } })[0]!.status).toBe(status);
    expect(withPending(tasks, { 1: { status, version: 4 } })[0]!.status).toBe(status);
    expect(withPending(tasks, { 1: { status, version: 3 } })[0]!.status).toBe('pending');
  });
});

describe(differences.name, () => {
  it('names the fields that were changed, and takes no description for an empty one', () => {
    expect(differences({ title: 'a' }, task('1'))).toEqual(['title']);
    expect(differences({ description: '', status: 'pending' }, task('1'))).toEqual([]);
  });
});
