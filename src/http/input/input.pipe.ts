import { Injectable, ValidationPipe } from '@nestjs/common';
import type { ArgumentMetadata } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import { fieldFaults } from './field-faults.js';

/**
 * Turns bodies and queries into their DTO classes. Unknown fields and wrong values are refused, each named,
 * with the code `invalid_body`, `invalid_query` or `invalid_param`.
 */
@Injectable()
export class InputPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
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
    const message = `The ${type} has faults: ${fields.slice(0, 3).join('; ')}${rest}`;
    return new AppError('invalid', `invalid_${type}`, message, { errors: error.errors });
  }
}
