import { canonicalJson, isObject, listOf } from '../../kernel/json/json.js';

export type Schema = Readonly<Record<string, unknown>>;

/** Keywords that vendors refuse at the top of a tool's schema. */
const REFUSED = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'enum', 'const', '$ref'];
const MAX_DEPTH = 16;

/** The part of a schema that is about the members of an object. */
interface Members {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  /** Sentences for what can't be said in the members. */
  readonly rules: readonly string[];
}

export interface FoldedSchema {
  readonly schema: Schema;
  readonly rules: readonly string[];
}

/**
 * The schema of an object without combinators at its top: their members are among its own, and what
 * is lost by that is said in words. The tool itself still checks its input against its own schema.
 */
export function foldSchema(schema: Schema): FoldedSchema {
  const isPlain = schema.type === 'object' && isObject(schema.properties);
  if (isPlain && REFUSED.every((keyword) => !Object.hasOwn(schema, keyword)))
    return { schema, rules: [] };
  const { properties, required, rules } = membersOf(schema, { root: schema, depth: 0 });
  const kept = Object.entries(schema).filter(([keyword]) => !REFUSED.includes(keyword));
  const { required: _, ...others } = Object.fromEntries(kept);
  return {
    schema: { ...others, type: 'object', properties, ...(required.length > 0 && { required }) },
    rules,
  };
}

interface Place {
  readonly root: Schema;
  readonly depth: number;
}

const NONE: Members = { properties: {}, required: [], rules: [] };

function membersOf(value: unknown, { root, depth }: Place): Members {
  if (!isObject(value) || depth > MAX_DEPTH) return NONE;
  const below = { root, depth: depth + 1 };
  const all = [resolveRef(root, value.$ref), ...listOf(value.allOf)];
  const conditional = [value.then, value.else].filter(isObject);
  return [
    ownMembers(value),
    ...all.map((part) => membersOf(part, below)),
    ...[value.anyOf, value.oneOf].map((parts) => oneOf(listOf(parts), below)),
    ...conditional.map((part) => ({ ...membersOf(part, below), required: [] })),
  ].reduce(both, NONE);
}

function ownMembers({ properties, required }: Schema): Members {
  return {
    properties: isObject(properties) ? properties : {},
    required: listOf(required).filter((name) => typeof name === 'string'),
    rules: [],
  };
}

function both(one: Members, other: Members): Members {
  return {
    properties: union(one.properties, other.properties),
    required: [...new Set([...one.required, ...other.required])],
    rules: [...one.rules, ...other.rules],
  };
}

/** Members of which one branch has to fit: only what all branches require is required. */
function oneOf(parts: readonly unknown[], place: Place): Members {
  const branches = parts.map((part) => membersOf(part, place));
  if (branches.length === 0) return NONE;
  const [first, ...others] = branches as [Members, ...Members[]];
  const shared = first.required.filter((name) =>
    others.every(({ required }) => required.includes(name)),
  );
  const groups = branches.map(({ required }) => required.filter((name) => !shared.includes(name)));
  return {
    properties: branches.map(({ properties }) => properties).reduce(union, {}),
    required: shared,
    rules: [...ruleOf(groups), ...branches.flatMap(({ rules }) => rules)],
  };
}

/** In words: which members one of the branches needs. */
function ruleOf(groups: readonly (readonly string[])[]): readonly string[] {
  if (groups.length < 2 || groups.some((names) => names.length === 0)) return [];
  const said = groups.map((names) => names.join(' and '));
  return [`Give ${said.join(', or ')}.`];
}

/** A property that both have must fit either of them. */
function union(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const merged = new Map(Object.entries(one));
  for (const [name, schema] of Object.entries(other)) {
    const known = merged.get(name);
    const isSame = known === undefined || canonicalJson(known) === canonicalJson(schema);
    merged.set(name, isSame ? schema : { anyOf: [...alternatives(known), schema] });
  }
  return Object.fromEntries(merged);
}

function alternatives(schema: unknown): readonly unknown[] {
  const isAnyOf = isObject(schema) && Object.keys(schema).length === 1 && 'anyOf' in schema;
  return isAnyOf ? listOf(schema.anyOf) : [schema];
}

/** The part of the same document that a `$ref` names; undefined if there is none. */
export function resolveRef(root: Schema, ref: unknown): unknown {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined;
  const steps = ref.split('/').slice(1);
  return steps.reduce<unknown>((at, step) => {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) return at[Number(name)] as unknown;
    return isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }, root);
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
