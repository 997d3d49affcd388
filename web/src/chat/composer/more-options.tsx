import { useEffect, useState } from 'react';
import type { FormEvent } from 'react';
import { client } from '../../session/client';
import { composerText as text } from '../../strings/chat';
import { common } from '../../strings/common';
import { Button } from '../../ui/button';
import { Dialog, DialogActions } from '../../ui/dialog';
import { Fault } from '../../ui/fault';
import ui from '../../ui/ui.module.css';
import type { ChatOptions } from './chosen-options';
import css from './composer.module.css';

interface MoreOptionsProps {
  readonly current: ChatOptions;
  /** Empty values are those of the server. Rejects if the server does not take them. */
  readonly onSave: (values: Record<string, unknown>) => Promise<void>;
  readonly onClose: () => void;
}

/** Model, folder and budget of what is sent from now on. */
export function MoreOptions({ current, onSave, onClose }: MoreOptionsProps) {
  const [error, setError] = useState<unknown>();
  const [models, setModels] = useState<readonly string[]>([]);
  useEffect(() => {
    client.models.list().then(({ items }) => setModels(items.map((it) => it.model)), setError);
  }, []);
  const save = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const field = (name: string): string => (form.get(name) as string).trim();
    try {
      await onSave({
        model: field('model'),
        workspace: field('workspace'),
        budget: budgetOf(current.budget, field('cost_usd'), field('tokens')),
      });
      onClose();
    } catch (thrown) {
      setError(thrown);
    }
  };
  const { model, workspace, budget } = current;
  return (
    <Dialog isOpen onClose={onClose} title={text.more} description={text.moreHint}>
      <form className={css['more']} onSubmit={(event) => void save(event)}>
        <label>
          <span>{text.model}</span>
          <input
            className={ui['field']}
            name="model"
            list="composer-models"
            placeholder={text.serverDefault}
            defaultValue={model ?? ''}
            spellCheck={false}
          />
          <datalist id="composer-models">
            {models.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        <label>
          <span>{text.workspace}</span>
          <input
            className={ui['field']}
            name="workspace"
            placeholder={text.serverDefault}
            defaultValue={workspace ?? ''}
            spellCheck={false}
          />
        </label>
        <label>
          <span>{text.budgetCost}</span>
          <input
            className={ui['field']}
            name="cost_usd"
            type="number"
            min="0"
            step="any"
            placeholder={text.serverDefault}
            defaultValue={budget?.cost_usd ?? ''}
          />
        </label>
        <label>
          <span>{text.budgetTokens}</span>
          <input
            className={ui['field']}
            name="tokens"
            type="number"
            min="1"
            step="1"
            placeholder={text.serverDefault}
            defaultValue={budget?.tokens ?? ''}
          />
        </label>
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

/** With what the budget has besides; empty: none of its own. */
function budgetOf(
  { cost_usd: _, tokens: __, ...others }: NonNullable<ChatOptions['budget']> = {},
  cost: string,
  tokens: string,
): ChatOptions['budget'] | '' {
  const budget = {
    ...others,
    ...(cost !== '' && { cost_usd: Number(cost) }),
    ...(tokens !== '' && { tokens: Number(tokens) }),
  };
  return Object.keys(budget).length === 0 ? '' : budget;
}
