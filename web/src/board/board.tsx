import {
  DndContext,
  DragOverlay,
  KeyboardSensor,
  PointerSensor,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import type { Announcements, DragEndEvent, KeyboardCoordinateGetter } from '@dnd-kit/core';
import { Plus } from 'lucide-react';
import type { Task } from 'parley/client';
import { useState } from 'react';
import { useKeys } from '../keys/registry';
import { boardText as text } from '../strings/board';
import { keyText } from '../strings/keys';
import { visible } from '../text/visible';
import { Fault } from '../ui/fault';
import { columnsOf, STATUSES } from './columns';
import type { TaskStatus } from './columns';
import { ConflictDialog } from './conflict-dialog';
import { EditTask } from './edit-task';
import { CardBody, TaskCard } from './task-card';
import { useBoard } from './use-board';
import type { Board as BoardState } from './use-board';
import css from './board.module.css';

/** The tasks of the chat by status. Cards are moved with the mouse, with fingers and with keys. */
export function Board() {
  const board = useBoard();
  const [dragged, setDragged] = useState<Task>();
  const [editing, setEditing] = useState<Task>();
  const columns = columnsOf(board.tasks);
  const group = keyText.groups.board;
  // A card takes them itself.
  useKeys([
    { key: ' ', label: keyText.pickUp, group },
    { key: 'ArrowLeft', label: keyText.columnBefore, group },
    { key: 'ArrowRight', label: keyText.columnAfter, group },
    { key: 'Escape', label: keyText.leave, group },
  ]);
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 6 } }),
    useSensor(KeyboardSensor, { coordinateGetter: toNextColumn }),
  );
  const find = (id: unknown): Task | undefined => board.tasks.find((task) => task.id === id);
  const onDragEnd = ({ active, over }: DragEndEvent): void => {
    setDragged(undefined);
    const task = find(active.id);
    const status = over?.id as TaskStatus | undefined;
    if (task && status && status !== task.status) void board.change(task, { status });
  };
  return (
    <section className={css['board']} data-testid="task-board" aria-label={text.label}>
      {board.error !== undefined && <Fault error={board.error} />}
      <DndContext
        sensors={sensors}
        accessibility={{
          announcements: announcementsOf(find),
          screenReaderInstructions: { draggable: text.drag.instructions },
        }}
        onDragStart={({ active }) => setDragged(find(active.id))}
        onDragCancel={() => setDragged(undefined)}
        onDragEnd={onDragEnd}
      >
        <div className={css['columns']}>
          {STATUSES.map((status) => (
            <Column
              key={status}
              status={status}
              tasks={columns[status]}
              board={board}
              onEdit={setEditing}
            />
          ))}
        </div>
        <DragOverlay dropAnimation={null}>
          {dragged && (
            <div className={css['card']} data-lifted>
              <CardBody task={dragged} />
            </div>
          )}
        </DragOverlay>
      </DndContext>
      {editing && <EditTask task={editing} board={board} onClose={() => setEditing(undefined)} />}
      {board.conflict && (
        <ConflictDialog
          conflict={board.conflict}
          onSettle={(useMine) => void board.settle(useMine)}
        />
      )}
    </section>
  );
}

interface ColumnProps {
  readonly status: TaskStatus;
  readonly tasks: readonly Task[];
  readonly board: BoardState;
  readonly onEdit: (task: Task) => void;
}

function Column({ status, tasks, board, onEdit }: ColumnProps) {
  const { setNodeRef, isOver } = useDroppable({ id: status });
  return (
    <section
      ref={setNodeRef}
      className={css['column']}
      data-status={status}
      data-over={isOver || undefined}
      aria-label={text.columns[status]}
    >
      <h2>
        {text.columns[status]} <span>{tasks.length}</span>
      </h2>
      <ul>
        {tasks.map((task) => (
          <li key={task.id}>
            <TaskCard task={task} board={board} onEdit={() => onEdit(task)} />
          </li>
        ))}
      </ul>
      {tasks.length === 0 && status !== 'pending' && <p className={css['empty']}>{text.empty}</p>}
      {status === 'pending' && <AddTask board={board} />}
    </section>
  );
}

function AddTask({ board }: { board: BoardState }) {
  const [title, setTitle] = useState('');
  const add = async (): Promise<void> => {
    const wanted = title.trim();
    if (wanted === '') return;
    setTitle('');
    if (await board.add(wanted, 'pending')) return;
    setTitle((begun) => (begun === '' ? wanted : `${wanted} ${begun}`));
  };
  return (
    <form
      className={css['add']}
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <Plus size={14} aria-hidden />
      <input
        aria-label={text.add}
        placeholder={text.addPlaceholder}
        maxLength={500}
        value={title}
        onChange={({ target }) => setTitle(target.value)}
      />
    </form>
  );
}

function columnName(id: unknown): string {
  return text.columns[id as TaskStatus];
}

function announcementsOf(find: (id: unknown) => Task | undefined): Announcements {
  const name = (id: unknown): string => visible(find(id)?.title ?? '');
  return {
    onDragStart: ({ active }) => text.drag.start(name(active.id)),
    onDragOver: ({ active, over }) =>
      over ? text.drag.over(name(active.id), columnName(over.id)) : undefined,
    onDragEnd: ({ active, over }) =>
      over
        ? text.drag.end(name(active.id), columnName(over.id))
        : text.drag.cancel(name(active.id)),
    onDragCancel: ({ active }) => text.drag.cancel(name(active.id)),
  };
}

/** Arrow keys move a card to the column before or after, whether these stand beside or below. */
const toNextColumn: KeyboardCoordinateGetter = (event, { context, currentCoordinates }) => {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.code];
  if (by === undefined) return undefined;
  event.preventDefault();
  const over = (context.over?.id ?? STATUSES[0]) as TaskStatus;
  const next = STATUSES[STATUSES.indexOf(over) + by];
  const rect = next && context.droppableRects.get(next);
  return rect ? { x: rect.left + 8, y: rect.top + 36 } : currentCoordinates;
};
