import { ExactNumber, exactJson } from '../../kernel/json/exact-json.js';
import { isObject, listOf } from '../../kernel/json/json.js';
import { resolveRef, type Schema } from './fold-schema.js';

/** Keywords that every vendor takes. */
const COMMON_KEYWORDS = new Set([
  ...['description', 'nullable', 'pattern', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'minLength', 'maxLength'],
]);
const FORMATS = new Set(['date-time', 'enum', 'int32', 'int64', 'float', 'double']);
const MAX_DEPTH = 16;
/** Schemas of a tool, with each reference written out. */
const MAX_SCHEMAS = 2_000;

/**
 * A schema in the part of JSON Schema that the strictest vendor takes: without references, lists of
 * types, constants and keywords of later drafts. It allows more than the original.
 */
export function narrowSchema(schema: Schema): Schema {
  return { ...new Narrowing(schema).of(schema, 0), type: 'object' };
}

class Narrowing {
  private left = MAX_SCHEMAS;

  constructor(private readonly root: Schema) {}

  of(value: unknown, depth: number): Schema {
    if (!isObject(value) || depth > MAX_DEPTH || --this.left < 0) return { type: 'object' };
    const target = resolveRef(this.root, value.$ref);
    if (isObject(target)) {
      const { $ref: _, ...own } = value;
      return this.of({ ...target, ...own }, depth + 1);
    }
    const all = listOf(value.allOf).map((part) => this.of(part, depth + 1));
    return [...all, this.own(value, depth)].reduce(merge, {});
  }

  private own(schema: Schema, depth: number): Schema {
    const { type, nullable } = typeOf(schema);
    const kept = Object.entries(schema).filter(
      ([name, value]) => COMMON_KEYWORDS.has(name) && isUsable(value),
    );
    return {
      ...Object.fromEntries(kept),
      ...(type !== undefined && { type }),
      ...(nullable && { nullable }),
      ...limitsOf(schema),
      ...formatOf(schema),
      ...enumOf(schema),
      ...this.alternatives(schema, depth),
      ...this.members(schema, depth),
      ...(type === 'array' && { items: this.items(schema, depth) }),
    };
  }

  private members({ properties, required }: Schema, depth: number): Schema {
    if (!isObject(properties) || Object.keys(properties).length === 0) return {};
    const entries = Object.entries(properties);
    const known = listOf(required).filter((name) => Object.hasOwn(properties, String(name)));
    return {
      properties: Object.fromEntries(
        entries.map(([name, item]) => [name, this.of(item, depth + 1)]),
      ),
      ...(known.length > 0 && { required: known }),
    };
  }

  private alternatives({ anyOf, oneOf }: Schema, depth: number): Schema {
    const parts = [anyOf, oneOf].flatMap(listOf);
    const given = parts.filter((part) => !isObject(part) || part.type !== 'null');
    const nullable = given.length < parts.length && { nullable: true };
    const schemas = given.map((part) => this.of(part, depth + 1));
    if (schemas.length <= 1) return { ...schemas[0], ...nullable };
    return { anyOf: schemas, ...nullable };
  }

  private items({ items, prefixItems }: Schema, depth: number): Schema {
    const [first] = [prefixItems, items].flatMap((list) => (Array.isArray(list) ? [list[0]] : []));
    const schema: unknown = first ?? items;
    return isObject(schema) ? this.of(schema, depth + 1) : { type: 'string' };
  }
}

function merge(one: Schema, other: Schema): Schema {
  const properties = { ...Object(one.properties), ...Object(other.properties) } as Schema;
  const required = [...new Set([...listOf(one.required), ...listOf(other.required)])];
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function isUsable(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) || value instanceof ExactNumber;
}

/** The first type of a list that is not `null`; without types, the one other keywords imply. */
function typeOf(schema: Schema): { type: unknown; nullable: boolean } {
  const types = Array.isArray(schema.type) ? (schema.type as unknown[]) : [schema.type];
  const type = types.find((name) => name !== 'null');
  const nullable = types.includes('null');
  if (type !== undefined) return { type, nullable };
  if (isObject(schema.properties)) return { type: 'object', nullable };
  if (schema.items !== undefined || schema.prefixItems !== undefined)
    return { type: 'array', nullable };
  const values = schema.enum ?? [schema.const];
  const isText = Array.isArray(values) && values.every((value) => typeof value === 'string');
  return { type: isText ? 'string' : undefined, nullable };
}

function limitsOf({ exclusiveMinimum, exclusiveMaximum }: Schema): Schema {
  return {
    ...(isNumber(exclusiveMinimum) && { minimum: exclusiveMinimum }),
    ...(isNumber(exclusiveMaximum) && { maximum: exclusiveMaximum }),
  };
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value instanceof ExactNumber;
}

function formatOf({ format }: Schema): Schema {
  return typeof format === 'string' && FORMATS.has(format) ? { format } : {};
}

/** Only texts can be listed; other values are said in the description. */
function enumOf(schema: Schema): Schema {
  const values: unknown = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (!Array.isArray(values) || values.length === 0) return {};
  if (values.every((value) => typeof value === 'string' && value !== '')) return { enum: values };
  const said = typeof schema.description === 'string' ? `${schema.description} ` : '';
  return { description: `${said}One of ${exactJson(values)}.` };
}
