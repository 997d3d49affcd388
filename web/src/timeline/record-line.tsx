import { Link2, ScrollText } from 'lucide-react';
import type { RecordEvent } from 'parley/client';
import { goToTarget, linkTo } from '../chat/target';
import { showTab } from '../panel/panel-tab';
import { duration } from '../strings/amounts';
import { summaryOf, typeName } from '../strings/records';
import { timelineText as text } from '../strings/timeline';
import { visible } from '../text/visible';
import { IconButton } from '../ui/button';
import { copyText } from '../ui/copy-button';
import css from './timeline.module.css';

interface RecordLineProps {
  readonly record: RecordEvent;
  readonly last: number;
  /** Begin of the turn, in ms since 1970. */
  readonly begin: number;
  /** False: it is the record under the mouse. */
  readonly isCursor: boolean;
}

/** The record that the cursor or the mouse is at. Its place and size never change. */
export function RecordLine({ record, last, begin, isCursor }: RecordLineProps) {
  const { interaction_id, seq, type, at } = record;
  return (
    <div className={css['record']} data-cursor={isCursor}>
      <div>
        <b>{typeName(type)}</b>
        <small>
          {text.at(seq, last)} · +{duration(Date.parse(at) - begin)}
        </small>
        <IconButton
          label={text.openInLog}
          onClick={() => {
            goToTarget({ interaction_id, seq });
            showTab('log');
          }}
        >
          <ScrollText size={14} aria-hidden />
        </IconButton>
        <IconButton
          label={text.copyLink}
          onClick={() => void copyText(linkTo(interaction_id, seq))}
        >
          <Link2 size={14} aria-hidden />
        </IconButton>
      </div>
      <p>{visible(summaryOf(record))}</p>
      <p className={css['hint']}>{text.hint}</p>
    </div>
  );
}
