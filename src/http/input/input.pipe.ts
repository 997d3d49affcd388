import { Injectable, ValidationPipe } from '@nestjs/common';
import type { ArgumentMetadata, ValidationError } from '@nestjs/common';
import { instanceToPlain } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import { AppError } from '../../kernel/app-error.js';
import type { FieldFault } from '../../kernel/app-error.js';
import { nearestNames } from '../../kernel/text/nearest-names.js';
import { toDto } from './to-dto.js';
import { cutText } from '../../kernel/text/cut-text.js';

const MAX_FAULTS = 50;
const MAX_PATH = 200;
/** A value of a wrong type is reported by its type only. */
const TYPES = ['isString', 'isInt', 'isBoolean', 'isObject', 'isArray'];

/**
 * Turns bodies, queries and parameters into their DTO classes. Refuses unknown fields and wrong
 * values, each by name, with the code `invalid_body`, `invalid_query` or `invalid_path`.
 */
@Injectable()
export class InputPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      validationError: { target: true },
      transformerPackage: { plainToInstance: toDto, classToPlain: instanceToPlain },
      exceptionFactory: (errors) =>
        new AppError('invalid', 'invalid_input', '', { errors: fieldFaults(errors) }),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    try {
      return (await super.transform(value, metadata)) as unknown;
    } catch (error) {
      throw error instanceof AppError ? this.name(error, metadata) : error;
    }
  }

  private name(error: AppError, { type }: ArgumentMetadata): AppError {
    const fields = error.errors.map(({ field, message }) => `${field} ${message}`);
    const rest = fields.length > 3 ? `; and ${fields.length - 3} more` : '';
    const part = type === 'param' ? 'path' : type;
    const message = `Invalid ${part}: ${fields.slice(0, 3).join('; ')}${rest}`;
    return new AppError('invalid', `invalid_${part}`, message, { errors: error.errors });
  }
}

/** Returns one fault per field, by its full path (`client_tools.0.name`); the first 50. */
function fieldFaults(errors: readonly ValidationError[]): FieldFault[] {
  const faults: FieldFault[] = [];
  collect(errors, '', faults);
  return faults;
}

function collect(errors: readonly ValidationError[], parent: string, faults: FieldFault[]): void {
  for (const error of errors) {
    if (faults.length >= MAX_FAULTS) return;
    const field = cutText(parent ? `${parent}.${error.property}` : error.property, MAX_PATH);
    if (error.constraints) faults.push({ field, message: describe(error, error.constraints) });
    collect(error.children ?? [], field, faults);
  }
}

function describe(error: ValidationError, constraints: Record<string, string>): string {
  if (constraints['whitelistValidation']) return describeUnknown(error);
  if (error.value === undefined) return 'is needed';
  const ofType = TYPES.find((type) => constraints[type] !== undefined);
  const messages = ofType ? [constraints[ofType]!] : Object.values(constraints);
  return messages.map((message) => withoutName(message, error.property)).join(' and ');
}

function describeUnknown({ property, target = {} }: ValidationError): string {
  const rules = getMetadataStorage().getTargetValidationMetadatas(
    target.constructor,
    '',
    false,
    false,
  );
  const [near] = nearestNames(property, [...new Set(rules.map((rule) => rule.propertyName))]);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return `is not a known field${hint}`;
}

/** The fault has the field's name already. */
function withoutName(message: string, name: string): string {
  if (message.startsWith(`${name} `)) return message.slice(name.length + 1);
  return message.replace(`each value in ${name} `, 'each value ');
}
