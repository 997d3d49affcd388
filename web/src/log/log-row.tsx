import type { RecordEvent } from 'parley/client';
import { logText } from '../strings/log';
import { summaryOf, typeName } from '../strings/records';
import { visible } from '../text/visible';
import type { LogRow } from './rows';
import css from './log.module.css';

const MOST_MESSAGE = 120;
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

export function rowId(interactionId: string, seq: number): string {
  return `record-${interactionId}-${seq}`;
}

interface LogRowProps {
  readonly row: LogRow;
  /** The keys are at it. */
  readonly isCurrent: boolean;
  /** The address names it. */
  readonly isNamed: boolean;
  readonly onOpen: (record: RecordEvent) => void;
}

export function LogRowView({ row, isCurrent, isNamed, onOpen }: LogRowProps) {
  if (row.kind === 'turn')
    return (
      <div className={css['turn']} role="presentation">
        <span>{visible(row.message.slice(0, MOST_MESSAGE))}</span>
        <small>{logText.records(row.listed, row.all)}</small>
      </div>
    );
  const { record } = row;
  const { interaction_id, seq, type, at } = record;
  const isBad = type === 'ERROR' || (type === 'TOOL_RESULT' && record.is_error);
  return (
    // The list has the focus and the keys: this one is its active descendant.
    <div
      id={rowId(interaction_id, seq)}
      className={css['row']}
      role="option"
      aria-selected={isCurrent}
      aria-current={isNamed || undefined}
      data-type={type}
      onClick={() => onOpen(record)}
    >
      <span className={css['seq']}>{seq}</span>
      <b data-bad={isBad || undefined}>{typeName(type)}</b>
      <small>{clock.format(new Date(at))}</small>
      <p>{visible(summaryOf(record))}</p>
    </div>
  );
}
