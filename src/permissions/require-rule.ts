import { AppError } from '../kernel/app-error.js';
import type { RuleInput } from './permission-rule.js';
import { checkRule } from './rules/check-rule.js';

/** @throws AppError `invalid_body` (400), with each field that is wrong */
export function requireRule(value: object): RuleInput {
  const checked = checkRule(value);
  if (checked.ok) return checked.rule;
  const errors = checked.faults.map(({ path, message }) => ({ field: path.join('.'), message }));
  const said = errors.slice(0, 3).map(({ field, message }) => `${field} ${message}`);
  const detail = `The body has faults: ${said.join('; ')}`;
  throw new AppError('invalid', 'invalid_body', detail, { errors });
}
