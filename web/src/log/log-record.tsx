import { Link2, X } from 'lucide-react';
import type { RecordEvent } from 'parley/client';
import { linkTo } from '../chat/target';
import { logText as text } from '../strings/log';
import { typeName } from '../strings/records';
import { visible } from '../text/visible';
import { IconButton } from '../ui/button';
import { copyText, CopyButton } from '../ui/copy-button';
import css from './log.module.css';

/** Maximum length of a record that is shown, in UTF-16 code units. */
const MOST_SHOWN = 50_000;

/** Shows a whole record as JSON. */
export function LogRecord({ record, onClose }: { record: RecordEvent; onClose: () => void }) {
  const json = JSON.stringify(record, null, 2);
  const left = json.length - MOST_SHOWN;
  return (
    <section
      className={css['record']}
      aria-label={text.record(record.seq)}
      data-testid="log-record"
    >
      <header>
        <h2>
          {record.seq} {typeName(record.type)}
        </h2>
        <CopyButton text={json} label={text.copyJson} />
        <IconButton
          label={text.copyLink}
          onClick={() => void copyText(linkTo(record.interaction_id, record.seq))}
        >
          <Link2 size={14} aria-hidden />
        </IconButton>
        <IconButton label={text.close} onClick={onClose}>
          <X size={14} aria-hidden />
        </IconButton>
      </header>
      <pre tabIndex={0}>
        {visible(json.slice(0, MOST_SHOWN))}
        {left > 0 && `\n${text.rest(left)}`}
      </pre>
    </section>
  );
}
