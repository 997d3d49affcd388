import { createHash } from 'node:crypto';
import { isObject } from '../../kernel/json/json.js';
import type { Schema } from './fold-schema.js';

/** The names of properties that vendors take. */
const NAME = /^[a-zA-Z0-9_.-]{1,64}$/;
const MAX_NAME = 64;

/** Keywords whose value maps names of properties to schemas or to lists of names. */
const BY_PROPERTY = new Set([
  'properties',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
]);
/** Keywords whose value maps other names to schemas. */
const BY_OTHER = new Set(['patternProperties', '$defs', 'definitions']);
/** Keywords whose value is data, which may look like a schema. */
const DATA = new Set(['const', 'default', 'enum', 'example', 'examples']);

export interface RenamedSchema {
  readonly schema: Schema;
  /** Original names by the names in the schema, of those that differ. */
  readonly originals: ReadonlyMap<string, string>;
}

/** A schema whose properties have names that vendors take, at every depth. */
export function renameProperties(schema: Schema): RenamedSchema {
  const used = new Set<string>();
  collect(schema, used);
  const bad = [...used].filter((name) => !NAME.test(name));
  if (bad.length === 0) return { schema, originals: new Map() };
  const renamed = new Map<string, string>();
  for (const name of bad) renamed.set(name, freeName(name, used));
  return {
    schema: rename(schema, renamed) as Schema,
    originals: new Map([...renamed].map(([original, sent]) => [sent, original])),
  };
}

function freeName(name: string, used: Set<string>): string {
  const clean = name.replaceAll(/[^a-zA-Z0-9_.-]/g, '_');
  const hash = createHash('sha256').update(name).digest('hex');
  const short = `${clean.slice(0, MAX_NAME - 9)}_${hash.slice(0, 8)}`;
  const isFree = clean !== '' && clean.length <= MAX_NAME && !used.has(clean);
  const found = isFree ? clean : used.has(short) ? hash : short;
  used.add(found);
  return found;
}

/** Adds the names of all properties. */
function collect(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) return value.forEach((item) => collect(item, names));
  if (!isObject(value)) return;
  for (const [keyword, below] of Object.entries(value)) {
    if (DATA.has(keyword)) continue;
    const byName = (BY_PROPERTY.has(keyword) || BY_OTHER.has(keyword)) && isObject(below);
    if (byName && BY_PROPERTY.has(keyword)) for (const name in below) names.add(name);
    if (byName) for (const item of Object.values(below)) collect(item, names);
    else collect(below, names);
  }
}

function rename(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([keyword, below]) => [keyword, renameIn(keyword, below, names)]),
  );
}

function renameIn(keyword: string, value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (DATA.has(keyword)) return value;
  if (keyword === 'required') return namesIn(value, names);
  if (keyword === '$ref' && typeof value === 'string') return refTo(value, names);
  const isByProperty = BY_PROPERTY.has(keyword);
  if (!isObject(value) || !(isByProperty || BY_OTHER.has(keyword))) return rename(value, names);
  const lists = keyword === 'dependentRequired' || keyword === 'dependencies';
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      isByProperty ? (names.get(name) ?? name) : name,
      lists && Array.isArray(item) ? namesIn(item, names) : rename(item, names),
    ]),
  );
}

function namesIn(list: unknown, names: ReadonlyMap<string, string>): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((name: unknown) => (typeof name === 'string' ? (names.get(name) ?? name) : name));
}

/** A reference may lead through a property: `#/properties/$filter`. */
function refTo(ref: string, names: ReadonlyMap<string, string>): string {
  const steps = ref.split('/');
  return steps
    .map((step, at) => (steps[at - 1] === 'properties' ? (names.get(step) ?? step) : step))
    .join('/');
}
