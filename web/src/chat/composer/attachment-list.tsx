import { X } from 'lucide-react';
import { composerText as text } from '../../strings/chat';
import { visible } from '../../text/visible';
import { IconButton } from '../../ui/button';
import type { Attachments } from './attachments';
import css from './composer.module.css';

export function AttachmentList({ attachments }: { attachments: Attachments }) {
  if (attachments.items.length === 0) return null;
  return (
    <ul className={css['files']}>
      {attachments.items.map(({ key, name, progress, file_id, fault }) => (
        <li key={key} data-fault={fault !== null}>
          <span title={fault ?? undefined}>{visible(name)}</span>
          {file_id === null && fault === null && (
            <progress value={progress} max={1} aria-label={visible(name)} />
          )}
          {fault !== null && <small>{fault}</small>}
          <IconButton label={text.detach(visible(name))} onClick={() => attachments.remove(key)}>
            <X size={13} aria-hidden />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}
