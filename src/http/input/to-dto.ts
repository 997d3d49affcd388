import { plainToInstance } from 'class-transformer';
import type { ClassConstructor } from 'class-transformer';
import { ARRAY_MAX_SIZE, ValidationTypes, getMetadataStorage } from 'class-validator';
import { isObject } from '../../kernel/json/json.js';

/**
 * Makes an instance of a DTO class from what a client sent, with instances of the classes nested in
 * it. Free JSON at any level is taken as it is, and one item more than allowed of a list that is
 * too long: the time that class-transformer and class-validator take for them would grow with the
 * square of their size.
 */
export function toDto<T>(type: ClassConstructor<T>, sent: unknown): T {
  if (!isObject(sent)) return plainToInstance(type, sent);
  const { nested, limits } = fieldsOf(type);
  const plain: Record<string, unknown> = {};
  const taken: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent)) {
    if (typeof value !== 'object' || value === null) plain[name] = value;
    else taken[name] = toField(value, { type: nested.get(name), limit: limits.get(name) });
  }
  return Object.assign(plainToInstance(type, plain) as object, taken) as T;
}

interface Field {
  /** The class of its value or, for a list, of its items; undefined for free JSON. */
  readonly type: ClassConstructor<object> | undefined;
  /** The allowed length of a list. */
  readonly limit: number | undefined;
}

function toField(value: object, { type, limit }: Field): unknown {
  if (!Array.isArray(value)) return type ? toDto(type, value) : value;
  const items = limit === undefined ? value : value.slice(0, limit + 1);
  return type ? items.map((item: unknown) => toItem(type, item)) : items;
}

/** A list in a list is no item: null is refused, where the validator would walk the list. */
function toItem(type: ClassConstructor<object>, item: unknown): unknown {
  if (Array.isArray(item)) return null;
  return isObject(item) ? toDto(type, item) : item;
}

interface DtoFields {
  /** The classes of those whose values are instances of DTO classes. */
  readonly nested: ReadonlyMap<string, ClassConstructor<object>>;
  /** Allowed lengths of lists; 0 for a field that takes one object. */
  readonly limits: ReadonlyMap<string, number>;
}

const known = new WeakMap<object, DtoFields>();

function fieldsOf(type: ClassConstructor<unknown>): DtoFields {
  const fields = known.get(type) ?? readFields(type);
  known.set(type, fields);
  return fields;
}

function readFields(type: ClassConstructor<unknown>): DtoFields {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const nested = rules.filter((rule) => rule.type === ValidationTypes.NESTED_VALIDATION);
  const sizes = rules.filter(({ name }) => name === ARRAY_MAX_SIZE);
  const single = nested.filter(({ each }) => !each);
  return {
    nested: new Map(nested.map(({ propertyName: name }) => [name, classOf(type, name)])),
    limits: new Map([
      ...single.map(({ propertyName }) => [propertyName, 0] as const),
      ...sizes.map(({ propertyName, constraints }) => [propertyName, constraints[0]] as const),
    ]),
  };
}

/** The class that `@Type` names. */
function classOf(type: ClassConstructor<unknown>, field: string): ClassConstructor<object> {
  const example = plainToInstance(type, { [field]: {} }) as Record<string, object>;
  return example[field]!.constructor as ClassConstructor<object>;
}
