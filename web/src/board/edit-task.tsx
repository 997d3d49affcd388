import type { Task } from 'parley/client';
import { useState } from 'react';
import { boardText as text } from '../strings/board';
import { common } from '../strings/common';
import { Button } from '../ui/button';
import { Dialog, DialogActions } from '../ui/dialog';
import { Fault } from '../ui/fault';
import ui from '../ui/ui.module.css';
import { STATUSES } from './columns';
import type { TaskStatus } from './columns';
import type { Board, Changes } from './use-board';
import css from './board.module.css';

interface EditTaskProps {
  /** Task when the dialog was opened: a change after that is a conflict. */
  readonly task: Task;
  readonly board: Board;
  readonly onClose: () => void;
}

export function EditTask({ task, board, onClose }: EditTaskProps) {
  const [title, setTitle] = useState(task.title);
  const [description, setDescription] = useState(task.description ?? '');
  const [status, setStatus] = useState(task.status);
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    const changes = changesOf(task, { title: title.trim(), description, status });
    const isDone = Object.keys(changes).length === 0 || (await board.change(task, changes));
    if (isDone) onClose();
    else setBusy(false);
  };
  return (
    <Dialog isOpen onClose={onClose} title={text.edit}>
      <form
        className={css['edit']}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label>
          <span>{text.title}</span>
          <input
            className={ui['field']}
            value={title}
            maxLength={500}
            onChange={({ target }) => setTitle(target.value)}
          />
        </label>
        <label>
          <span>{text.description}</span>
          <textarea
            className={ui['field']}
            rows={4}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
        </label>
        <label>
          <span>{text.status}</span>
          <select
            className={ui['field']}
            value={status}
            onChange={({ target }) => setStatus(target.value as TaskStatus)}
          >
            {STATUSES.map((each) => (
              <option key={each} value={each}>
                {text.columns[each]}
              </option>
            ))}
          </select>
        </label>
        {board.error !== undefined && <Fault error={board.error} />}
        <DialogActions>
          <Button look="plain" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button look="primary" type="submit" disabled={isBusy || title.trim() === ''}>
            {common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function changesOf(task: Task, wanted: Required<Changes>): Changes {
  const { title, description, status } = wanted;
  return {
    ...(title !== task.title && { title }),
    ...(description !== (task.description ?? '') && { description }),
    ...(status !== task.status && { status }),
  };
}
