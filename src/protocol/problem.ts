import type { FieldFault } from '../kernel/app-error.js';

/** `application/problem+json` (RFC 9457); `type` is `/problems/<code>`, stable. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly errors?: readonly FieldFault[];
  readonly [extra: string]: unknown;
}
