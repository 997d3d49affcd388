import { X } from 'lucide-react';
import { Thumbnail } from '../../pictures/thumbnail';
import { composerText as text } from '../../strings/chat';
import { visible } from '../../text/visible';
import { IconButton } from '../../ui/button';
import type { Attachment, Attachments } from './attachments';
import css from './composer.module.css';

export function AttachmentList({ attachments }: { attachments: Attachments }) {
  if (attachments.items.length === 0) return null;
  return (
    <ul className={css['files']}>
      {attachments.items.map((item) => {
        const { key, name, picture, fault } = item;
        const remove = (
          <IconButton label={text.detach(visible(name))} onClick={() => attachments.remove(key)}>
            <X size={13} aria-hidden />
          </IconButton>
        );
        return (
          <li key={key} data-fault={fault !== null} data-picture={picture !== null}>
            {picture ? (
              <Thumbnail picture={picture}>{remove}</Thumbnail>
            ) : (
              <span title={fault ?? undefined}>{visible(name)}</span>
            )}
            <Upload item={item} />
            {!picture && remove}
          </li>
        );
      })}
    </ul>
  );
}

/** How far it is, or why the server has refused it. */
function Upload({ item: { name, progress, file_id, fault } }: { item: Attachment }) {
  if (fault !== null) return <small>{fault}</small>;
  if (file_id !== null) return null;
  return <progress value={progress} max={1} aria-label={visible(name)} />;
}
