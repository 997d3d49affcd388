import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { isSealed } from '../encryption/sealed-text.js';
import { AppError } from '../kernel/app-error.js';
import { ANY_TENANT } from '../persistence/any-tenant.js';
import { TASK_STATUSES } from '../protocol/wire/task.js';
import { ToolProvider } from '../tools/core/tool-provider.decorator.js';
import { Tool } from '../tools/core/tool.js';
import type { ToolContext, ToolPolicy } from '../tools/core/tool.js';
import { MAX_DESCRIPTION, MAX_TITLE } from './task-limits.js';
import type { Actor, NewTask } from './tasks.service.js';
import { TasksService } from './tasks.service.js';
import type { Task } from '../protocol/wire/task.js';

const text = z
  .string()
  .refine((value) => !isSealed(value), 'must not begin like encrypted text, with U+0001');

const item = z.object({
  id: z.string().max(64).optional().describe('A task of the board; without it, a new task.'),
  title: text.min(1).max(MAX_TITLE).optional().describe('Needed for a new task.'),
  description: text.max(MAX_DESCRIPTION).optional(),
  status: z.enum(TASK_STATUSES).optional(),
  version: z.int().min(1).optional().describe('The version you saw; another one is left alone.'),
  remove: z.literal(true).optional().describe('Takes the task off the board.'),
});

const input = z.object({
  tasks: z.array(item).max(100).describe('What to add or change. An empty list only reads.'),
});

type Item = z.output<typeof item>;
type Input = z.output<typeof input>;

/** Lets a model keep its plan on the task board, which people see and edit too. */
@Injectable()
@ToolProvider()
export class TodoTool extends Tool<Input> {
  readonly name = 'todo';
  readonly description =
    'Adds to and changes the task board of this conversation, and answers the whole board. Keep the plan of longer work on it: add the tasks first, set one to in_progress while you work on it, and to completed when it is done. The user edits the same board. Tasks that you leave out stay as they are.';
  readonly input = input;
  /** Idempotent: a new task with the title of an existing one is that task. */
  readonly policy: ToolPolicy = {
    category: 'compute',
    read_only: false,
    risk: 'low',
    recovery: 'rerun',
  };

  constructor(private readonly board: TasksService) {
    super();
  }

  override summarize(value: unknown): string {
    const { tasks } = value as Input;
    const said = tasks.slice(0, 5).map(describeItem);
    return `Change the task board: ${said.join('; ')}${tasks.length > 5 ? '; …' : ''}`;
  }

  async execute({ tasks }: Input, context: ToolContext): Promise<string> {
    const problems: string[] = [];
    for (const wanted of tasks) {
      const problem = await this.apply(wanted, context).catch(toProblem);
      if (problem !== undefined) problems.push(`${describeItem(wanted)}: ${problem}`);
    }
    return [...problems, describeBoard(await this.board.list(context.chat_uid))].join('\n');
  }

  /** Returns the reason if it was refused. */
  private async apply(wanted: Item, context: ToolContext): Promise<string | undefined> {
    const { id, title } = wanted;
    const board = await this.board.list(context.chat_uid);
    const known = board.find((task) => (id === undefined ? task.title === title : task.id === id));
    if (known) await this.applyTo(known, wanted, context);
    else if (id !== undefined) return 'there is no such task on the board.';
    else if (title === undefined) return 'a new task needs a title.';
    else if (!wanted.remove) await this.add({ ...wanted, title }, context);
    return undefined;
  }

  private async add(task: NewTask, context: ToolContext): Promise<void> {
    const { chat_uid: uid, chat_id: id, tell } = context;
    const added = await this.board.add({ uid, id }, task, actorOf(context));
    await tell({ type: 'TASK_UPDATED', task: added });
  }

  private async applyTo(
    known: Task,
    { id: _, remove, ...change }: Item,
    context: ToolContext,
  ): Promise<void> {
    const { tell } = context;
    if (remove) {
      const task = await this.board.remove(known.id, change.version, actorOf(context));
      return tell({ type: 'TASK_UPDATED', task, deleted: true });
    }
    const task = await this.board.change(known.id, change, actorOf(context));
    const isNew = task.version !== known.version || (await isOfThisCall(task, context));
    if (isNew) await tell({ type: 'TASK_UPDATED', task });
  }
}

/** It names only tasks of the board of its chat. */
function actorOf({ agent_id, chat_uid }: ToolContext): Actor {
  return { agent_id, chat_uid, viewer: ANY_TENANT };
}

/** An earlier run of this call may have changed the task and died before its record (I4). */
async function isOfThisCall(task: Task, { agent_id, now }: ToolContext): Promise<boolean> {
  return task.agent_id === agent_id && Date.parse(task.updated_at) >= (await now());
}

function toProblem(error: unknown): string {
  if (error instanceof AppError && error.kind !== 'unavailable') return error.message;
  throw error;
}

function describeItem({ id, title, status, remove }: Item): string {
  const what = title ?? id ?? 'a task without a title';
  if (remove) return `remove “${what}”`;
  return status === undefined ? `“${what}”` : `“${what}” ${status}`;
}

function describeBoard(board: readonly Task[]): string {
  if (board.length === 0) return 'The board is empty.';
  const lines = board.map(({ id, title, description, status, version, agent_id }) =>
    JSON.stringify({
      id,
      title,
      ...(description !== null && { description }),
      status,
      version,
      last_changed_by: agent_id === null ? 'user' : 'agent',
    }),
  );
  return `The board, one task a line:\n${lines.join('\n')}`;
}
