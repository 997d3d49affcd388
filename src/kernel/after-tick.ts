let tasks: (() => void)[] = [];

/**
 * Runs `task` once after this tick's input has been read, together with all other tasks of the
 * tick.
 */
export function afterTick(task: () => void): void {
  tasks.push(task);
  if (tasks.length === 1) setImmediate(runAll);
}

function runAll(): void {
  const due = tasks;
  tasks = [];
  for (const task of due) task();
}
