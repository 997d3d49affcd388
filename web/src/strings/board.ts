import type { TaskStatus } from '../board/columns';

export const boardText = {
  label: 'Task board',
  columns: { pending: 'To do', in_progress: 'In progress', completed: 'Done' } satisfies Record<
    TaskStatus,
    string
  > as Readonly<Record<TaskStatus, string>>,
  add: 'Add a task',
  addPlaceholder: 'What is to be done?',
  empty: 'Nothing here.',
  title: 'Title',
  description: 'Description',
  status: 'Status',
  edit: 'Edit the task',
  actions: (title: string) => `Change ${title}`,
  moveTo: (column: string) => `Move to ${column}`,
  byAgent: 'by an agent',
  deleteTitle: 'Delete this task?',
  wide: 'Open as a page',
  back: 'Back to the conversation',
  conflictTitle: 'This task has changed meanwhile',
  conflictHint: 'Someone else, or an agent, changed it after you had seen it.',
  field: 'Field',
  mine: 'Yours',
  theirs: 'On the board now',
  keepTheirs: 'Keep what is there',
  useMine: 'Use mine',
  none: 'none',
  drag: {
    instructions:
      'To move a task, press Space, choose a column with the arrow keys, and press Space again. Escape leaves it where it was.',
    start: (task: string) => `Picked up ${task}.`,
    over: (task: string, column: string) => `${task} is over ${column}.`,
    end: (task: string, column: string) => `${task} was put in ${column}.`,
    cancel: (task: string) => `${task} stays where it was.`,
  },
};
