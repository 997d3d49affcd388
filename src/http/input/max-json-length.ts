import { ValidateBy } from 'class-validator';

/** The property has at most `max` characters as JSON. */
export function MaxJsonLength(max: number): PropertyDecorator {
  return ValidateBy({
    name: 'maxJsonLength',
    validator: {
      validate: (value: unknown) => (JSON.stringify(value) ?? '').length <= max,
      defaultMessage: () => `$property must have at most ${max} characters as JSON`,
    },
  });
}
