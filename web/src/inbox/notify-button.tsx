import { Bell, BellOff, BellRing } from 'lucide-react';
import { inboxText as text } from '../strings/inbox';
import { Button } from '../ui/button';
import { useStore } from '../ui/store';
import { askToNotify, notifyState, stopNotifying } from './notifications';

/** Turns notifications of this browser on and off. */
export function NotifyButton() {
  const state = useStore(notifyState);
  if (state === 'on')
    return (
      <Button look="plain" aria-pressed onClick={stopNotifying}>
        <BellRing size={14} aria-hidden />
        {text.notifying}
      </Button>
    );
  if (state === 'off')
    return (
      <Button look="plain" onClick={() => void askToNotify()}>
        <Bell size={14} aria-hidden />
        {text.notify}
      </Button>
    );
  return (
    <Button look="plain" disabled title={text.whyNot[state]}>
      <BellOff size={14} aria-hidden />
      {text.notNotifying[state]}
    </Button>
  );
}
