import { plainToInstance } from 'class-transformer';
import type { ClassConstructor } from 'class-transformer';
import { ARRAY_MAX_SIZE, ValidationTypes, getMetadataStorage } from 'class-validator';
import { isObject } from '../../kernel/json.js';

/**
 * Makes an instance of a DTO class from what a client sent. Free JSON is taken as it is, and one
 * item more than allowed of a list that is too long: the time that class-transformer and
 * class-validator take for them would grow with the square of their size.
 */
export function toDto<T>(type: ClassConstructor<T>, sent: unknown): T {
  if (!isObject(sent)) return plainToInstance(type, sent);
  const { nested, limits } = fieldsOf(type);
  const fields = Object.entries(sent).map(
    ([name, value]) => [name, shortened(value, limits.get(name))] as const,
  );
  const isFree = ([name, value]: readonly [string, unknown]): boolean =>
    typeof value === 'object' && value !== null && !nested.has(name);
  const dto = plainToInstance(type, Object.fromEntries(fields.filter((each) => !isFree(each))));
  return Object.assign(dto as object, Object.fromEntries(fields.filter(isFree))) as T;
}

function shortened(value: unknown, limit: number | undefined): unknown {
  const isTooLong = Array.isArray(value) && limit !== undefined && value.length > limit + 1;
  return isTooLong ? value.slice(0, limit + 1) : value;
}

interface DtoFields {
  /** Those whose values are instances of DTO classes. */
  readonly nested: ReadonlySet<string>;
  /** Allowed lengths of lists. */
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
  const sizes = rules.filter(({ name }) => name === ARRAY_MAX_SIZE);
  return {
    nested: new Set(
      rules
        .filter((rule) => rule.type === ValidationTypes.NESTED_VALIDATION)
        .map(({ propertyName }) => propertyName),
    ),
    limits: new Map(
      sizes.map(({ propertyName, constraints }) => [propertyName, constraints[0] as number]),
    ),
  };
}
