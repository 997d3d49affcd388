import { useState } from 'react';
import type { FormEvent } from 'react';
import { client } from '../../session/client';
import { common } from '../../strings/common';
import { keysText as text } from '../../strings/operate';
import { Button } from '../../ui/button';
import { CopyButton } from '../../ui/copy-button';
import { Dialog, DialogActions } from '../../ui/dialog';
import { Fault } from '../../ui/fault';
import ui from '../../ui/ui.module.css';
import css from '../operate.module.css';

const SCOPES = ['chat', 'decide', 'operate', 'admin'] as const;
type Scope = (typeof SCOPES)[number];

/** Makes a key, and shows it this once. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const [key, setKey] = useState<string>();
  return (
    <Dialog
      isOpen
      // Nothing but its button closes the dialog while the key is shown.
      onClose={key === undefined ? onClose : () => undefined}
      title={key === undefined ? text.create : text.created}
      description={key === undefined ? text.createHint : text.once}
    >
      {key === undefined ? (
        <KeyForm onCreated={setKey} onCancel={onClose} />
      ) : (
        <>
          <div className={css['secret']}>
            <code data-testid="new-key">{key}</code>
            <CopyButton text={key} />
          </div>
          <DialogActions>
            <Button look="primary" onClick={onClose}>
              {text.done}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

function KeyForm(props: { onCreated: (key: string) => void; onCancel: () => void }) {
  const [scopes, setScopes] = useState<readonly Scope[]>(['chat', 'decide']);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const field = (name: string): string => {
      const value = form.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const expires = field('expires_at');
    setBusy(true);
    try {
      const { key } = await client.keys.create({
        user_id: field('user_id'),
        scopes: [...scopes],
        ...(expires !== '' && { expires_at: new Date(expires).toISOString() }),
      });
      props.onCreated(key);
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  const toggle = (scope: Scope): void =>
    setScopes(scopes.includes(scope) ? scopes.filter((it) => it !== scope) : [...scopes, scope]);
  return (
    <form className={css['form']} onSubmit={(event) => void submit(event)}>
      <label>
        <span>{text.user}</span>
        <input className={ui['field']} name="user_id" required maxLength={255} autoFocus />
      </label>
      <fieldset>
        <legend>{text.scopes}</legend>
        {SCOPES.map((scope) => (
          <label key={scope} className={css['check']}>
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={() => toggle(scope)}
            />
            {scope} <small>{text.scopeHints[scope]}</small>
          </label>
        ))}
      </fieldset>
      <label>
        <span>{text.expires}</span>
        <input className={ui['field']} name="expires_at" type="datetime-local" />
      </label>
      {error !== undefined && <Fault error={error} />}
      <DialogActions>
        <Button look="plain" onClick={props.onCancel}>
          {common.cancel}
        </Button>
        <Button look="primary" type="submit" disabled={isBusy || scopes.length === 0}>
          {text.create}
        </Button>
      </DialogActions>
    </form>
  );
}
