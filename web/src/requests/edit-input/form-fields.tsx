import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { requestText as text } from '../../strings/requests';
import { visible } from '../../text/visible';
import { Button, IconButton } from '../../ui/button';
import ui from '../../ui/ui.module.css';
import type { Draft, Drafts, Field } from './schema-form';
import css from './edit-input.module.css';

interface FormFieldsProps {
  readonly fields: readonly Field[];
  readonly drafts: Drafts;
  /** Faults of fields, by their paths. */
  readonly faults: Readonly<Record<string, string>>;
  /** Path of the group that they are in, with a dot; else empty. */
  readonly path: string;
  /** The first field takes the focus. */
  readonly autoFocus?: boolean;
  readonly onChange: (drafts: Drafts) => void;
}

export function FormFields({ fields, drafts, faults, path, onChange, ...props }: FormFieldsProps) {
  return fields.map((field, at) => {
    const autoFocus = props.autoFocus === true && at === 0;
    const draft = drafts[field.name];
    const change = (value: Draft): void => onChange({ ...drafts, [field.name]: value });
    if (field.kind !== 'group') {
      const fault = faultOf(faults, `${path}${field.name}`);
      return (
        <OneField key={field.name} {...{ field, draft, fault, autoFocus }} onChange={change} />
      );
    }
    return (
      <fieldset key={field.name} className={css['group']}>
        <legend>{visible(field.name)}</legend>
        <FormFields
          fields={field.fields ?? []}
          drafts={(draft ?? {}) as Drafts}
          faults={faults}
          path={`${path}${field.name}.`}
          onChange={change}
        />
      </fieldset>
    );
  });
}

/** Also of what is inside of its value. */
function faultOf(faults: FormFieldsProps['faults'], path: string): string | undefined {
  const found = Object.entries(faults).find(([at]) => at === path || at.startsWith(`${path}.`));
  return found?.[1];
}

interface OneFieldProps {
  readonly field: Field;
  readonly draft: Draft;
  readonly fault: string | undefined;
  readonly autoFocus: boolean;
  readonly onChange: (value: Draft) => void;
}

function OneField({ field, draft, fault, autoFocus, onChange }: OneFieldProps) {
  const { name, kind, isRequired, hint } = field;
  const id = useId();
  const canLeaveOut = !isRequired && draft !== undefined && kind !== 'flag' && kind !== 'choice';
  return (
    <div className={css['field']}>
      <div className={css['label']}>
        <label htmlFor={id}>{visible(name)}</label>
        <small>{noteOn(field, draft)}</small>
        {canLeaveOut && (
          <IconButton label={text.leaveOut(visible(name))} onClick={() => onChange(undefined)}>
            <X size={13} aria-hidden />
          </IconButton>
        )}
      </div>
      <Control id={id} {...{ field, draft, autoFocus, onChange }} isWrong={fault !== undefined} />
      {hint !== undefined && (
        <small id={`${id}-hint`} className={css['hint']}>
          {visible(hint)}
        </small>
      )}
      {fault !== undefined && (
        <p id={`${id}-fault`} className={css['fault']} role="alert">
          {visible(fault)}
        </p>
      )}
    </div>
  );
}

/** Choices say by themselves that they are left out. */
function noteOn({ kind, isRequired }: Field, draft: Draft): string {
  if (isRequired) return text.required;
  return draft === undefined && kind !== 'flag' && kind !== 'choice' ? text.notSet : '';
}

interface ControlProps {
  readonly id: string;
  readonly field: Field;
  readonly draft: Draft;
  readonly isWrong: boolean;
  readonly autoFocus: boolean;
  readonly onChange: (value: Draft) => void;
}

function Control({ id, field, draft, isWrong, autoFocus, onChange }: ControlProps) {
  const { kind, name, options = [], hint } = field;
  const told = [hint !== undefined && `${id}-hint`, isWrong && `${id}-fault`].filter(Boolean);
  const own = {
    id,
    autoFocus,
    'data-field': name,
    'aria-invalid': isWrong || undefined,
    ...(told.length > 0 && { 'aria-describedby': told.join(' ') }),
  };
  switch (kind) {
    case 'flag':
      return (
        <select
          {...own}
          className={ui['field']}
          value={draft === undefined ? '' : draft === true ? 'true' : 'false'}
          onChange={({ target: { value } }) =>
            onChange(value === '' ? undefined : value === 'true')
          }
        >
          <option value="">{text.notSet}</option>
          <option value="true">{text.yes}</option>
          <option value="false">{text.no}</option>
        </select>
      );
    case 'choice':
      return (
        <select
          {...own}
          className={ui['field']}
          value={(draft as string | undefined) ?? ''}
          onChange={({ target: { value } }) => onChange(value === '' ? undefined : value)}
        >
          {!options.includes('') && <option value="">{text.notSet}</option>}
          {[...new Set([...options, ...(draft === undefined ? [] : [draft as string])])].map(
            (each) => (
              <option key={each} value={each}>
                {visible(each)}
              </option>
            ),
          )}
        </select>
      );
    case 'list':
      return <ListControl {...{ own, name, onChange }} items={(draft ?? []) as string[]} />;
    case 'text':
    case 'json':
      return (
        <textarea
          {...own}
          className={css['json']}
          spellCheck={false}
          value={(draft as string | undefined) ?? ''}
          onChange={({ target }) => onChange(target.value)}
        />
      );
    case 'line':
    case 'number':
    case 'integer':
    case 'group':
      return (
        <input
          {...own}
          className={ui['field']}
          inputMode={kind === 'line' ? 'text' : 'decimal'}
          spellCheck={false}
          value={(draft as string | undefined) ?? ''}
          onChange={({ target: { value } }) =>
            onChange(value === '' && kind !== 'line' ? undefined : value)
          }
        />
      );
  }
}

interface ListControlProps {
  readonly own: { readonly id: string };
  readonly name: string;
  readonly items: readonly string[];
  readonly onChange: (items: readonly string[]) => void;
}

function ListControl({ own, name, items, onChange }: ListControlProps) {
  return (
    <div className={css['list']}>
      {items.map((item, at) => (
        <div key={at}>
          <input
            {...(at === 0 ? own : {})}
            className={ui['field']}
            aria-label={`${name} ${at + 1}`}
            spellCheck={false}
            value={item}
            onChange={({ target }) => onChange(items.with(at, target.value))}
          />
          <IconButton
            label={text.removeItem(name, at + 1)}
            onClick={() => onChange(items.filter((_, index) => index !== at))}
          >
            <X size={13} aria-hidden />
          </IconButton>
        </div>
      ))}
      <Button
        look="plain"
        {...(items.length === 0 ? { id: own.id } : {})}
        onClick={() => onChange([...items, ''])}
      >
        <Plus size={14} aria-hidden />
        {text.addItem}
      </Button>
    </div>
  );
}
