import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useRoute } from 'wouter';
import { client } from '../session/client';
import { common } from '../strings/common';
import { sidebarText as text } from '../strings/sidebar';
import { Button, IconButton } from '../ui/button';
import { Dialog, DialogActions } from '../ui/dialog';
import { Fault } from '../ui/fault';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu';
import ui from '../ui/ui.module.css';
import { useAction } from '../ui/use-action';

/** Actions on a whole chat. */
export function ChatMenu({
  chat,
}: {
  chat: { readonly id: string; readonly title: string | null };
}) {
  const [dialog, setDialog] = useState<'rename' | 'delete' | null>(null);
  const { error, run, clear } = useAction();
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton label={common.more}>
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setDialog('rename')}>{text.rename}</MenuItem>
        <MenuItem onSelect={() => run(() => saveLog(chat.id))}>{text.export}</MenuItem>
        <MenuSeparator />
        <MenuItem look="danger" onSelect={() => setDialog('delete')}>
          {text.delete}
        </MenuItem>
      </Menu>
      <Dialog isOpen={error !== undefined} onClose={clear} title={text.export}>
        <Fault error={error} />
      </Dialog>
      {dialog === 'rename' && <Rename chat={chat} onClose={() => setDialog(null)} />}
      {dialog === 'delete' && <Deletion chat={chat} onClose={() => setDialog(null)} />}
    </>
  );
}

interface DialogProps {
  readonly chat: { readonly id: string; readonly title: string | null };
  readonly onClose: () => void;
}

export function Rename({ chat, onClose }: DialogProps) {
  const [title, setTitle] = useState(chat.title ?? '');
  const [error, setError] = useState<unknown>();
  const save = async (): Promise<void> => {
    try {
      await client.chats.update(chat.id, { title: title.trim() === '' ? null : title.trim() });
      onClose();
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <Dialog isOpen onClose={onClose} title={text.rename}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <input
          className={ui['field']}
          aria-label={text.rename}
          value={title}
          maxLength={200}
          onChange={({ target }) => setTitle(target.value)}
        />
        {error !== undefined && <Fault error={error} />}
        <DialogActions>
          <Button look="plain" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button look="primary" type="submit">
            {common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

export function Deletion({ chat, onClose }: DialogProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [, navigate] = useLocation();
  const [, here] = useRoute('/chats/:chat');
  const remove = async (): Promise<void> => {
    setBusy(true);
    try {
      await client.chats.delete(chat.id);
      if (here?.chat === chat.id) navigate('/');
      onClose();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <Dialog isOpen onClose={onClose} title={text.deleteTitle} description={text.deleteHint}>
      {error !== undefined && <Fault error={error} />}
      <DialogActions>
        <Button look="plain" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button look="danger" disabled={isBusy} onClick={() => void remove()}>
          {common.delete}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

export async function saveLog(id: string): Promise<void> {
  const response = await client.chats.log(id);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = `${id}.ndjson`;
  link.click();
  URL.revokeObjectURL(link.href);
}
