import { ValidateBy } from 'class-validator';
import { thinking } from '../../protocol/records/fields.js';
import {
  MAX_THINKING_BUDGET,
  MIN_THINKING_BUDGET,
  THINKING_EFFORTS,
} from '../../protocol/thinking.js';

const EXPECTED = `$property must be ${THINKING_EFFORTS.join(', ')} or {"budget_tokens": <a whole number from ${MIN_THINKING_BUDGET} to ${MAX_THINKING_BUDGET}>}`;

/** The property is a `Thinking`. */
export function IsThinking(): PropertyDecorator {
  return ValidateBy({
    name: 'isThinking',
    validator: {
      validate: (value: unknown) => thinking.safeParse(value).success,
      defaultMessage: () => EXPECTED,
    },
  });
}
