import { CircleAlert, CircleSlash, Info, MessageSquareText, RotateCw } from 'lucide-react';
import { lineText } from '../../strings/lines';
import { visible } from '../../text/visible';
import type { LineRecord } from './items';
import css from './agent-items.module.css';

/** A record that is told in one line. */
export function LineItem({ record }: { record: LineRecord }) {
  const isBad = record.type === 'ERROR';
  return (
    <p className={css['line']} data-tone={isBad ? 'bad' : undefined}>
      <Icon type={record.type} />
      <span>{visible(lineText(record))}</span>
    </p>
  );
}

function Icon({ type }: { type: LineRecord['type'] }) {
  switch (type) {
    case 'ERROR':
      return <CircleAlert size={14} aria-hidden />;
    case 'CANCELLED':
      return <CircleSlash size={14} aria-hidden />;
    case 'RESUMED':
      return <RotateCw size={14} aria-hidden />;
    case 'AGENT_INTERVENED':
      return <MessageSquareText size={14} aria-hidden />;
    default:
      return <Info size={14} aria-hidden />;
  }
}
