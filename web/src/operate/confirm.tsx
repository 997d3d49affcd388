import { useState } from 'react';
import { common } from '../strings/common';
import { Button } from '../ui/button';
import { Dialog, DialogActions } from '../ui/dialog';
import { Fault } from '../ui/fault';

interface ConfirmProps {
  readonly title: string;
  readonly description: string;
  readonly verb: string;
  readonly action: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before something that can't be undone, and stays if it fails. */
export function Confirm({ title, description, verb, action, onClose }: ConfirmProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await action();
      onClose();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <Dialog isOpen onClose={onClose} title={title} description={description}>
      {error !== undefined && <Fault error={error} />}
      <DialogActions>
        <Button look="plain" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button look="danger" disabled={isBusy} onClick={() => void confirm()}>
          {verb}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
