import { Download, FileText, Trash2, Upload, X } from 'lucide-react';
import type { File as ChatFile } from 'parley/client';
import { useRef, useState } from 'react';
import type { DragEvent } from 'react';
import { useAttachments } from '../chat/composer/attachments';
import type { Attachment } from '../chat/composer/attachments';
import { useShownChat } from '../chat/use-chat';
import { isPicture, pictureOf } from '../pictures/picture';
import { Thumbnail } from '../pictures/thumbnail';
import panel from '../panel/panel.module.css';
import { client } from '../session/client';
import { bytes } from '../strings/amounts';
import { common } from '../strings/common';
import { filesText as text } from '../strings/files';
import { visible } from '../text/visible';
import { Button, IconButton } from '../ui/button';
import { Dialog, DialogActions } from '../ui/dialog';
import { Fault } from '../ui/fault';
import { useFiles } from './use-files';
import css from './files.module.css';

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** The files of the chat: those that people brought, and those that agents made. */
export function FilesView() {
  const files = useFiles();
  const uploads = useAttachments(useShownChat().id);
  const [isOver, setOver] = useState(false);
  const [deleting, setDeleting] = useState<ChatFile>();
  const under = uploads.items.filter(({ file_id }) => file_id === null);
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    uploads.add(event.dataTransfer.files);
  };
  return (
    <div
      className={css['view']}
      data-testid="files"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <UploadButton isOver={isOver} onFiles={uploads.add} />
      {files.error !== undefined && (
        <Fault
          error={files.error}
          onRetry={files.items === undefined ? () => void files.loadMore() : undefined}
        />
      )}
      <ul className={css['files']}>
        {under.map((upload) => (
          <UploadRow
            key={upload.key}
            upload={upload}
            onDismiss={() => uploads.remove(upload.key)}
          />
        ))}
        {files.items?.map((file) => (
          <FileRow key={file.id} file={file} onDelete={() => setDeleting(file)} />
        ))}
      </ul>
      {files.items === undefined && files.error === undefined && (
        <p className={panel['note']}>{common.loading}</p>
      )}
      {files.items?.length === 0 && under.length === 0 && (
        <p className={panel['note']}>{text.empty}</p>
      )}
      {files.hasMore && (
        <Button look="plain" onClick={() => void files.loadMore()}>
          {text.more}
        </Button>
      )}
      <Dialog
        isOpen={deleting !== undefined}
        onClose={() => setDeleting(undefined)}
        title={text.deleteTitle}
        description={text.deleteHint(visible(deleting?.filename ?? ''))}
      >
        <DialogActions>
          <Button look="plain" onClick={() => setDeleting(undefined)}>
            {common.cancel}
          </Button>
          <Button
            look="danger"
            onClick={() => {
              void files.remove(deleting!);
              setDeleting(undefined);
            }}
          >
            {common.delete}
          </Button>
        </DialogActions>
      </Dialog>
    </div>
  );
}

interface UploadButtonProps {
  readonly isOver: boolean;
  readonly onFiles: (files: Iterable<File>) => void;
}

function UploadButton({ isOver, onFiles }: UploadButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className={css['top']}>
      <Button onClick={() => input.current?.click()}>
        <Upload size={14} aria-hidden />
        {isOver ? text.drop : text.upload}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        data-testid="file-input"
        onChange={({ target }) => {
          onFiles(target.files ?? []);
          target.value = '';
        }}
      />
    </div>
  );
}

/** A file that is on its way, or that the server has refused. */
function UploadRow({ upload, onDismiss }: { upload: Attachment; onDismiss: () => void }) {
  const { name, progress, fault } = upload;
  return (
    <li className={css['file']} data-fault={fault !== null}>
      <FileText size={16} aria-hidden />
      <div>
        <b>{visible(name)}</b>
        {fault === null ? (
          <progress value={progress} max={1} aria-label={visible(name)} />
        ) : (
          <small>{fault}</small>
        )}
      </div>
      {fault !== null && (
        <IconButton label={text.dismiss(visible(name))} onClick={onDismiss}>
          <X size={14} aria-hidden />
        </IconButton>
      )}
    </li>
  );
}

function FileRow({ file, onDelete }: { file: ChatFile; onDelete: () => void }) {
  const [error, setError] = useState<unknown>();
  const { filename, size_bytes, mime_type, created_at } = file;
  const name = visible(filename);
  const details = [bytes(size_bytes), visible(mime_type), day.format(new Date(created_at))];
  return (
    <li className={css['file']} data-testid="file">
      <FileText size={16} aria-hidden />
      <div>
        <b title={name}>{name}</b>
        <small>{details.join(' · ')}</small>
        {isPicture(mime_type, size_bytes) && <Thumbnail picture={pictureOf(file)} />}
        {error !== undefined && <Fault error={error} />}
      </div>
      <IconButton
        label={text.download(name)}
        onClick={() => void download(file).then(() => setError(undefined), setError)}
      >
        <Download size={14} aria-hidden />
      </IconButton>
      <IconButton label={text.delete(name)} onClick={onDelete}>
        <Trash2 size={14} aria-hidden />
      </IconButton>
    </li>
  );
}

/** By an address of its own, as links send no credential: the browser saves it as it comes. */
async function download({ id, filename }: ChatFile): Promise<void> {
  const { url } = await client.files.url(id);
  const link = document.createElement('a');
  link.href = new URL(url, document.baseURI).href;
  link.download = filename;
  link.click();
}
