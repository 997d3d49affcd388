import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt } from 'class-validator';

const DIGITS = /^\d+$/;

/** An integer in a path or a query, in decimal digits; `0x6`, `6e0`, `+6` and `-0` are refused. */
export function DecimalInt(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && DIGITS.test(value) ? Number(value) : value,
    ),
    IsInt(),
  );
}
