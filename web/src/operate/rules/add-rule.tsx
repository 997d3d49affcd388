import { useState } from 'react';
import type { FormEvent } from 'react';
import { client } from '../../session/client';
import { ruleText as text } from '../../strings/rules';
import { visible } from '../../text/visible';
import { Button } from '../../ui/button';
import { Fault } from '../../ui/fault';
import ui from '../../ui/ui.module.css';
import { DECISIONS, MATCHERS, ruleOf, SCOPES } from './rule-form';
import type { MatcherKind } from './rule-form';
import css from '../operate.module.css';

/** Adds a rule. The server checks it, and says which field is wrong. */
export function AddRule({ onAdded }: { onAdded: () => void }) {
  const [scope, setScope] = useState<string>('user');
  const [kind, setKind] = useState<MatcherKind>('command_prefix');
  const [error, setError] = useState<unknown>();
  const [hint, setHint] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const add = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const rule = ruleOf(kind, new FormData(event.currentTarget));
    setBusy(true);
    try {
      const added = await client.permissions.add(rule);
      setError(undefined);
      if (added.hint === undefined) onAdded();
      else setHint(added.hint);
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  if (hint !== undefined)
    return (
      <div className={css['added']} role="status">
        <p>
          {text.added} {visible(hint)}
        </p>
        <Button onClick={onAdded}>{text.fine}</Button>
      </div>
    );
  return (
    <form
      className={css['form']}
      data-testid="add-rule"
      data-wide
      onSubmit={(event) => void add(event)}
    >
      <Choice name="decision" label={text.decision} options={DECISIONS} names={text.decisions} />
      <Choice
        name="scope"
        label={text.where}
        options={SCOPES}
        names={text.scopes}
        value={scope}
        onChange={setScope}
      />
      {(scope === 'session' || scope === 'agent') && (
        <Field name="scope_id" label={scope === 'session' ? text.chat : text.agent} isRequired />
      )}
      <Choice
        name="type"
        label={text.matcher}
        options={MATCHERS}
        names={text.kinds}
        value={kind}
        onChange={(value) => setKind(MATCHERS.find((it) => it === value) ?? 'all')}
      />
      <MatcherFields kind={kind} />
      <Field name="description" label={text.description} />
      <Field name="priority" label={text.priority} type="number" min={-1e9} />
      <Field name="max_uses" label={text.maxUses} type="number" />
      <Field name="expires_at" label={text.until} type="datetime-local" />
      {error !== undefined && (
        <div data-whole>
          <Fault error={error} />
        </div>
      )}
      <div data-whole>
        <Button look="primary" type="submit" disabled={isBusy}>
          {text.add}
        </Button>
      </div>
    </form>
  );
}

function MatcherFields({ kind }: { kind: MatcherKind }) {
  switch (kind) {
    case 'all':
      return null;
    case 'category':
      return (
        <Choice
          name="category"
          label={text.category}
          options={text.categories}
          names={Object.fromEntries(text.categories.map((each) => [each, each]))}
        />
      );
    case 'command_prefix':
      return (
        <label data-whole>
          <span>{text.prefixes}</span>
          <textarea className={css['json']} name="prefixes" required spellCheck={false} />
        </label>
      );
    case 'tool':
      return <Field name="pattern" label={text.toolPattern} isRequired />;
    case 'path':
    case 'regex':
      return (
        <>
          <Field
            name="pattern"
            label={kind === 'path' ? text.pathPattern : text.regexPattern}
            isRequired
          />
          <Field name="tool" label={text.onlyTool} />
        </>
      );
  }
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly type?: string;
  readonly isRequired?: boolean;
  readonly min?: number;
}

function Field({ name, label, type = 'text', isRequired = false, min = 1 }: FieldProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        className={ui['field']}
        {...{ name, type }}
        min={type === 'number' ? min : undefined}
        required={isRequired}
        spellCheck={false}
      />
    </label>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly options: readonly string[];
  readonly names: Readonly<Record<string, string>>;
  readonly value?: string;
  readonly onChange?: (value: string) => void;
}

function Choice({ name, label, options, names, value, onChange }: ChoiceProps) {
  return (
    <label>
      <span>{label}</span>
      <select
        className={ui['field']}
        name={name}
        {...(value !== undefined && { value })}
        onChange={({ target }) => onChange?.(target.value)}
      >
        {options.map((each) => (
          <option key={each} value={each}>
            {names[each] ?? each}
          </option>
        ))}
      </select>
    </label>
  );
}
