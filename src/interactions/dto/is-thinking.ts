import { ValidateBy } from 'class-validator';
import { thinking } from '../../protocol/wire/fields.js';
import { THINKING_VALUES } from '../../protocol/thinking.js';

/** The property is a `Thinking`. */
export function IsThinking(): PropertyDecorator {
  return ValidateBy({
    name: 'isThinking',
    validator: {
      validate: (value: unknown) => thinking.safeParse(value).success,
      defaultMessage: () => `$property must be ${THINKING_VALUES}`,
    },
  });
}
