import { useState } from 'react';
import { requestText as text } from '../../strings/requests';
import { findInexact, layOutJson, parseObject } from '../../text/json';
import { Button } from '../../ui/button';
import { useKeptText } from '../../ui/kept-text';
import type { CardRequest } from '../request';
import { inputName, readEdited } from './edited';
import type { Edited } from './edited';
import { FormFields } from './form-fields';
import { draftsOf, fieldsOf, readDrafts } from './schema-form';
import type { Drafts } from './schema-form';
import css from './edit-input.module.css';

interface EditInputProps {
  readonly request: CardRequest;
  /** Schema of the tool's input; null: there is none. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** Faults that the server found in fields, by their paths. */
  readonly faults: Readonly<Record<string, string>>;
  readonly onChange: (edited: Edited) => void;
}

/** Changes the input of a call: in a form that its schema describes, or as JSON. */
export function EditInput({ request, schema, faults, onChange }: EditInputProps) {
  const [initial] = useState(() => layOutJson(request.tool_input ?? ''));
  const [json, setJson] = useKeptText(inputName(request), initial);
  const [wantsJson, setWantsJson] = useState(false);
  const values = parseObject(json);
  const inexact = findInexact(json);
  const canForm = schema !== null && values !== undefined && inexact === undefined;
  const isForm = canForm && !wantsJson;
  const change = (next: string): void => {
    setJson(next);
    onChange(readEdited(next));
  };
  return (
    <fieldset className={css['edit']}>
      <legend className="visually-hidden">{text.edit}</legend>
      <div className={css['bar']} role="group" aria-label={text.edit}>
        <Button
          look="plain"
          aria-pressed={isForm}
          disabled={!canForm}
          onClick={() => setWantsJson(false)}
        >
          {text.asForm}
        </Button>
        <Button look="plain" aria-pressed={!isForm} onClick={() => setWantsJson(true)}>
          {text.asJson}
        </Button>
      </div>
      {inexact !== undefined && <p className={css['fault']}>{text.inexact(inexact)}</p>}
      {!isForm && (
        <JsonField value={json} faults={faults} isFine={values !== undefined} onChange={change} />
      )}
      {isForm && (
        <Form
          schema={schema}
          values={values}
          faults={faults}
          onChange={(input) => {
            if (input) setJson(JSON.stringify(input, null, 2));
            onChange({ input });
          }}
        />
      )}
    </fieldset>
  );
}

interface FormProps {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly values: Readonly<Record<string, unknown>>;
  readonly faults: Readonly<Record<string, string>>;
  /** null: some field can't be read. */
  readonly onChange: (input: Readonly<Record<string, unknown>> | null) => void;
}

function Form({ schema, values, faults: told, onChange }: FormProps) {
  // The kinds of fields are those of the values at first: a field never turns into another.
  const [fields] = useState(() => fieldsOf(schema, values));
  const [drafts, setDrafts] = useState<Drafts>(() => draftsOf(fields, values));
  const { faults } = readDrafts(fields, drafts);
  const words = Object.entries(faults).map(([path, fault]) => [path, text.faults[fault]] as const);
  const change = (next: Drafts): void => {
    setDrafts(next);
    const read = readDrafts(fields, next);
    onChange(Object.keys(read.faults).length === 0 ? read.input : null);
  };
  return (
    <FormFields
      fields={fields}
      drafts={drafts}
      faults={{ ...told, ...Object.fromEntries(words) }}
      path=""
      autoFocus
      onChange={change}
    />
  );
}

interface JsonFieldProps {
  readonly value: string;
  readonly faults: Readonly<Record<string, string>>;
  readonly isFine: boolean;
  readonly onChange: (text: string) => void;
}

function JsonField({ value, faults, isFine, onChange }: JsonFieldProps) {
  return (
    <>
      <textarea
        className={css['json']}
        data-testid="input-json"
        aria-label={text.edit}
        aria-invalid={!isFine}
        spellCheck={false}
        autoFocus
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      {!isFine && <p className={css['fault']}>{text.notJson}</p>}
      {Object.entries(faults).map(([path, message]) => (
        <p key={path} className={css['fault']}>
          {path}: {message}
        </p>
      ))}
    </>
  );
}
