import { ValidateIf } from 'class-validator';

/** An optional property that can't be null: unlike with `IsOptional`, null is validated. */
export function UnlessAbsent(): PropertyDecorator {
  return ValidateIf((_, value: unknown) => value !== undefined);
}
