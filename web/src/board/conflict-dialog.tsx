import { boardText as text } from '../strings/board';
import { visible } from '../text/visible';
import { Button } from '../ui/button';
import { Dialog, DialogActions } from '../ui/dialog';
import { differences } from './columns';
import type { TaskStatus } from './columns';
import type { Changes, Conflict } from './use-board';
import css from './board.module.css';

interface ConflictDialogProps {
  readonly conflict: Conflict;
  readonly onSettle: (useMine: boolean) => void;
}

/** Shows the two versions of a task beside each other: a person chooses. */
export function ConflictDialog({ conflict: { mine, theirs }, onSettle }: ConflictDialogProps) {
  const names = differences(mine, theirs);
  return (
    <Dialog
      isOpen
      onClose={() => onSettle(false)}
      title={text.conflictTitle}
      description={text.conflictHint}
    >
      <table className={css['conflict']} data-testid="task-conflict">
        <thead>
          <tr>
            <th scope="col">{text.field}</th>
            <th scope="col">{text.mine}</th>
            <th scope="col">{text.theirs}</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">{text[name]}</th>
              <td>{valueOf(mine, name)}</td>
              <td>{valueOf(theirs, name)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <DialogActions>
        <Button onClick={() => onSettle(false)}>{text.keepTheirs}</Button>
        <Button look="primary" onClick={() => onSettle(true)}>
          {text.useMine}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function valueOf(task: Changes, name: 'title' | 'description' | 'status'): string {
  if (name === 'status') return text.columns[task.status as TaskStatus];
  return visible(task[name] ?? '') || text.none;
}
