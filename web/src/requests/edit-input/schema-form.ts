import { isObject } from '../../text/json';

/** How a value of an input is edited. */
export type FieldKind =
  'line' | 'text' | 'number' | 'integer' | 'flag' | 'choice' | 'list' | 'group' | 'json';

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly hint?: string;
  /** Options of a choice. */
  readonly options?: readonly string[];
  /** Fields of a group. */
  readonly fields?: readonly Field[];
}

/** The content of a field; undefined: the value is left out. */
export type Draft = string | boolean | readonly string[] | Drafts | undefined;
export interface Drafts {
  readonly [name: string]: Draft;
}

export interface FormResult {
  readonly input: Readonly<Record<string, unknown>>;
  /** By the path of the field: `name`, or `group.name`. */
  readonly faults: Readonly<Record<string, 'number' | 'integer' | 'json'>>;
}

type Json = Readonly<Record<string, unknown>>;
/** A longer text gets more than a line. */
const LINE = 120;

/** The fields of a schema, and of values that it does not name. */
export function fieldsOf(schema: Json, values: Json, isNested = false): readonly Field[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const named = Object.entries(properties).map(([name, property]) =>
    fieldOf({ name, isRequired: required.includes(name) }, property, {
      value: values[name],
      isNested,
    }),
  );
  const others = Object.keys(values).filter((name) => !Object.hasOwn(properties, name));
  return [...named, ...others.map((name) => ({ name, kind: 'json' as const, isRequired: false }))];
}

export function draftsOf(fields: readonly Field[], values: Json): Drafts {
  return Object.fromEntries(
    fields.map((field) => [field.name, draftOf(field, values[field.name])]),
  );
}

/** The input that the drafts say. */
export function readDrafts(fields: readonly Field[], drafts: Drafts): FormResult {
  const input: Record<string, unknown> = {};
  const faults: Record<string, 'number' | 'integer' | 'json'> = {};
  for (const field of fields) {
    const draft = drafts[field.name];
    if (draft === undefined) continue;
    if (field.kind === 'group') {
      const inner = readDrafts(field.fields ?? [], draft as Drafts);
      input[field.name] = inner.input;
      for (const [name, fault] of Object.entries(inner.faults))
        faults[`${field.name}.${name}`] = fault;
    } else {
      const read = readDraft(field.kind, draft as Exclude<Draft, undefined | Drafts>);
      if ('fault' in read) faults[field.name] = read.fault;
      else input[field.name] = read.value;
    }
  }
  return { input, faults };
}

type Own = Pick<Field, 'name' | 'isRequired'>;

function fieldOf(
  own: Own,
  property: unknown,
  { value, isNested }: { value: unknown; isNested: boolean },
): Field {
  const schema = isObject(property) ? property : {};
  const hint = schema['description'];
  const field = { ...own, ...(typeof hint === 'string' && { hint }) };
  const options = optionsOf(schema);
  if (options && fits('choice', value)) return { ...field, kind: 'choice', options };
  const kind = kindOf(schema, value);
  if (!fits(kind, value)) return { ...field, kind: 'json' };
  if (kind !== 'group') return { ...field, kind };
  if (isNested) return { ...field, kind: 'json' };
  const inner = isObject(value) ? value : {};
  return { ...field, kind, fields: fieldsOf(schema, inner, true) };
}

function optionsOf({ enum: values }: Json): readonly string[] | undefined {
  const isText = Array.isArray(values) && values.every((value) => typeof value === 'string');
  return isText ? values : undefined;
}

function kindOf(schema: Json, value: unknown): FieldKind {
  switch (schema['type']) {
    case 'string':
      return isLong(schema, value) ? 'text' : 'line';
    case 'number':
      return 'number';
    case 'integer':
      return 'integer';
    case 'boolean':
      return 'flag';
    case 'array':
      return isObject(schema['items']) && schema['items']['type'] === 'string' ? 'list' : 'json';
    case 'object':
      return isObject(schema['properties']) ? 'group' : 'json';
    default:
      return 'json';
  }
}

function isLong({ maxLength }: Json, value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\n') || value.length > LINE;
  return typeof maxLength === 'number' && maxLength > 10_000;
}

/** A value of another type than the schema says is edited as what it is. */
function fits(kind: FieldKind, value: unknown): boolean {
  if (value === undefined) return true;
  switch (kind) {
    case 'line':
    case 'text':
    case 'choice':
      return typeof value === 'string';
    case 'number':
    case 'integer':
      return typeof value === 'number';
    case 'flag':
      return typeof value === 'boolean';
    case 'list':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'group':
      return isObject(value);
    case 'json':
      return true;
  }
}

function draftOf({ kind, fields = [] }: Field, value: unknown): Draft {
  if (value === undefined) return undefined;
  switch (kind) {
    case 'line':
    case 'text':
    case 'choice':
      return value as string;
    case 'number':
    case 'integer':
      return JSON.stringify(value);
    case 'flag':
      return value as boolean;
    case 'list':
      return value as readonly string[];
    case 'group':
      return draftsOf(fields, value as Json);
    case 'json':
      return JSON.stringify(value, null, 2);
  }
}

type Read = { readonly value: unknown } | { readonly fault: 'number' | 'integer' | 'json' };

function readDraft(kind: FieldKind, draft: Exclude<Draft, undefined | Drafts>): Read {
  switch (kind) {
    case 'number':
    case 'integer':
      return readNumber(kind, draft as string);
    case 'json':
      return readJson(draft as string);
    default:
      return { value: draft };
  }
}

function readNumber(kind: 'number' | 'integer', draft: string): Read {
  const text = draft.trim();
  const value = Number(text);
  const isFine = /^-?\d/.test(text) && Number.isFinite(value);
  if (!isFine) return { fault: kind };
  return kind === 'number' || Number.isSafeInteger(value) ? { value } : { fault: kind };
}

function readJson(draft: string): Read {
  try {
    return { value: JSON.parse(draft) as unknown };
  } catch {
    return { fault: 'json' };
  }
}
