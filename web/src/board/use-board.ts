import { ParleyError } from 'parley/client';
import type { Task } from 'parley/client';
import { useMemo, useState } from 'react';
import { useShownChat } from '../chat/use-chat';
import { client } from '../session/client';
import { useStore } from '../ui/store';
import { withPending } from './columns';
import type { Pending, TaskStatus } from './columns';

export type Changes = Partial<Pick<Task, 'title' | 'description' | 'status'>>;

/** A change that came too late: the task is another one by now. */
export interface Conflict {
  readonly mine: Changes;
  readonly theirs: Task;
}

export interface Board {
  readonly tasks: readonly Task[];
  readonly error: unknown;
  readonly conflict: Conflict | null;
  readonly add: (title: string, status: TaskStatus) => Promise<boolean>;
  readonly change: (task: Task, changes: Changes) => Promise<boolean>;
  readonly remove: (task: Task) => Promise<boolean>;
  /** Sends the change again for the task as it is now, or gives it up. */
  readonly settle: (useMine: boolean) => Promise<void>;
}

const NONE: readonly Task[] = [];

/** The board of the chat, live. */
export function useBoard(): Board {
  const chat = useShownChat();
  const told = useStore(chat.view, ({ conversation }) => conversation?.tasks ?? NONE);
  const [pending, setPending] = useState<Readonly<Record<string, Pending>>>({});
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [error, setError] = useState<unknown>();
  const tasks = useMemo(() => withPending(told, pending), [told, pending]);

  const attempt = async (action: () => Promise<unknown>): Promise<boolean> => {
    setError(undefined);
    try {
      await action();
      return true;
    } catch (thrown) {
      setError(thrown);
      return false;
    }
  };
  const forget = (id: string): void => setPending(({ [id]: _, ...others }) => others);
  const change = async ({ id, version }: Task, changes: Changes): Promise<boolean> => {
    const { status } = changes;
    if (status) setPending((all) => ({ ...all, [id]: { status, version: null } }));
    return attempt(async () => {
      try {
        const changed = await client.tasks.update(id, { ...changes, version });
        if (status) setPending((all) => ({ ...all, [id]: { status, version: changed.version } }));
      } catch (thrown) {
        forget(id);
        const theirs = taskIn(thrown);
        if (!theirs) throw thrown;
        setConflict({ mine: changes, theirs });
      }
    });
  };
  return {
    tasks,
    error,
    conflict,
    add: (title, status) => attempt(() => client.tasks.create({ chat_id: chat.id, title, status })),
    change,
    remove: ({ id }) => attempt(() => client.tasks.delete(id)),
    settle: async (useMine) => {
      setConflict(null);
      if (conflict && useMine) await change(conflict.theirs, conflict.mine);
    },
  };
}

/** The task as it is now, of a 409. */
function taskIn(error: unknown): Task | undefined {
  if (!(error instanceof ParleyError) || error.status !== 409) return undefined;
  return (error.problem as { readonly task?: Task } | undefined)?.task;
}
