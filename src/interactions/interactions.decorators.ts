import { AppError } from '../kernel/app-error.js';

const SHAPE = /^[\x21-\x7e]{1,255}$/;

/** @throws AppError `invalid_header` (400) */
export function checkIdempotencyKey(key: string | undefined): string | undefined {
  if (key === undefined || SHAPE.test(key)) return key;
  const message = 'must be 1 to 255 printable ASCII characters without spaces';
  throw new AppError('invalid', 'invalid_header', `The Idempotency-Key header ${message}.`, {
    errors: [{ field: 'Idempotency-Key', message }],
  });
}
