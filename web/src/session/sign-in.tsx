import { useState } from 'react';
import type { FormEvent } from 'react';
import { sessionText as text } from '../strings/session';
import { Button } from '../ui/button';
import { Fault } from '../ui/fault';
import { useStore } from '../ui/store';
import ui from '../ui/ui.module.css';
import { credential, signIn } from './credential';
import { signInFault } from './finish-sign-in';
import { readSignInSettings } from './sign-in-settings';
import type { SignInSettings } from './sign-in-settings';
import css from './sign-in.module.css';

/** Shown whenever the server refuses the credential, or asks for one. */
export function SignIn() {
  const [keeps, setKeeps] = useState(false);
  const [wasWrong] = useState(credential.get() !== null);
  const [settings] = useState(readSignInSettings);
  const fault = useStore(signInFault);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const value = new FormData(event.currentTarget).get('credential');
    if (typeof value === 'string' && value.trim() !== '') signIn(value.trim(), keeps);
  };
  return (
    <div className={css['page']}>
      <form className={css['card']} onSubmit={submit} data-testid="sign-in">
        <h1>{text.title}</h1>
        {settings && (
          <Button look="primary" onClick={() => void leave(settings)}>
            {text.withIssuer(new URL(settings.issuer).host)}
          </Button>
        )}
        {fault !== undefined && <Fault error={fault} />}
        {wasWrong && <Fault error={new Error(text.wrong)} />}
        <p>{settings ? text.orPaste : text.hint}</p>
        <label>
          <span>{text.label}</span>
          <input
            className={ui['field']}
            name="credential"
            type="password"
            autoComplete="current-password"
            autoFocus
            required
          />
        </label>
        <label className={css['keep']}>
          <input type="checkbox" checked={keeps} onChange={() => setKeeps(!keeps)} />
          {text.keep}
        </label>
        <Button look="primary" type="submit">
          {text.submit}
        </Button>
      </form>
    </div>
  );
}

async function leave(settings: SignInSettings): Promise<void> {
  try {
    const { leaveForIssuer } = await import('./oidc');
    await leaveForIssuer(settings);
  } catch (error) {
    signInFault.set(error);
  }
}
