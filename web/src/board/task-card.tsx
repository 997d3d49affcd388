import { useDraggable } from '@dnd-kit/core';
import { Ellipsis } from 'lucide-react';
import type { Task } from 'parley/client';
import { useState } from 'react';
import { boardText as text } from '../strings/board';
import { common } from '../strings/common';
import { visible } from '../text/visible';
import { Button, IconButton } from '../ui/button';
import { Dialog, DialogActions } from '../ui/dialog';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu';
import { STATUSES } from './columns';
import type { Board } from './use-board';
import css from './board.module.css';

interface TaskCardProps {
  readonly task: Task;
  readonly board: Board;
  readonly onEdit: () => void;
}

/** A task: it can be dragged, and its menu does the same without. */
export function TaskCard({ task, board, onEdit }: TaskCardProps) {
  const { attributes, listeners, setNodeRef, isDragging } = useDraggable({ id: task.id });
  const [isDeleting, setDeleting] = useState(false);
  return (
    <div
      className={css['card']}
      data-testid="task-card"
      data-status={task.status}
      data-dragging={isDragging || undefined}
    >
      <div
        ref={setNodeRef}
        className={css['grip']}
        {...attributes}
        {...listeners}
        onDoubleClick={onEdit}
      >
        <CardBody task={task} />
      </div>
      <Menu
        align="end"
        trigger={
          <IconButton label={text.actions(visible(task.title))}>
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem onSelect={onEdit}>{common.edit}</MenuItem>
        {STATUSES.filter((status) => status !== task.status).map((status) => (
          <MenuItem key={status} onSelect={() => void board.change(task, { status })}>
            {text.moveTo(text.columns[status])}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem look="danger" onSelect={() => setDeleting(true)}>
          {common.delete}
        </MenuItem>
      </Menu>
      <Dialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={text.deleteTitle}
        description={visible(task.title)}
      >
        <DialogActions>
          <Button look="plain" onClick={() => setDeleting(false)}>
            {common.cancel}
          </Button>
          <Button
            look="danger"
            onClick={() => {
              setDeleting(false);
              void board.remove(task);
            }}
          >
            {common.delete}
          </Button>
        </DialogActions>
      </Dialog>
    </div>
  );
}

export function CardBody({ task: { title, description, agent_id } }: { task: Task }) {
  return (
    <>
      <b>{visible(title)}</b>
      {description !== null && description !== '' && <p>{visible(description)}</p>}
      {agent_id !== null && <small>{text.byAgent}</small>}
    </>
  );
}
