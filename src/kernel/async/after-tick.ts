import { withValuesOfCaller } from './async-value.js';

let tasks: (() => void)[] = [];
let roundsDue = 0;

/**
 * Runs `task` once after this tick's input has been read, together with all other tasks of the
 * tick. What such a task queues runs before input is read again, after its promises: on a busy
 * process, the next reading may take tens of milliseconds.
 */
export function afterTick(task: () => void): void {
  tasks.push(withValuesOfCaller(task)); // of its tenant, not of the tick's first
  if (roundsDue > 0) return;
  roundsDue = 2;
  setImmediate(runAll);
  setImmediate(runAll);
}

function runAll(): void {
  roundsDue--;
  const due = tasks;
  tasks = [];
  for (const task of due) task();
}
