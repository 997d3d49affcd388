import type { ValidationError } from '@nestjs/common';
import type { FieldFault } from '../../kernel/app-error.js';

const MAX_FAULTS = 50;
const MAX_PATH = 200;
/** Whoever sent another type of value learns nothing from what else it does not fit. */
const TYPES = ['isString', 'isInt', 'isBoolean', 'isObject', 'isArray'];

/** One fault per field, by its full path (`client_tools.0.name`). A body can have more faults than are worth telling: the first 50. */
export function fieldFaults(errors: readonly ValidationError[]): FieldFault[] {
  const faults: FieldFault[] = [];
  collect(errors, '', faults);
  return faults;
}

function collect(errors: readonly ValidationError[], parent: string, faults: FieldFault[]): void {
  for (const error of errors) {
    if (faults.length >= MAX_FAULTS) return;
    const field = (parent ? `${parent}.${error.property}` : error.property).slice(0, MAX_PATH);
    if (error.constraints) faults.push({ field, message: describe(error, error.constraints) });
    collect(error.children ?? [], field, faults);
  }
}

function describe(error: ValidationError, constraints: Record<string, string>): string {
  if (constraints['whitelistValidation']) return 'is not a known field';
  if (error.value === undefined) return 'is needed';
  const ofType = TYPES.find((type) => constraints[type] !== undefined);
  const messages = ofType ? [constraints[ofType]!] : Object.values(constraints);
  return messages.map((message) => withoutName(message, error.property)).join(' and ');
}

/** The field is named beside the message, so `name must be a string` says it twice. */
function withoutName(message: string, name: string): string {
  if (message.startsWith(`${name} `)) return message.slice(name.length + 1);
  return message.replace(`each value in ${name} `, 'each value ');
}
