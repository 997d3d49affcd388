import type { FieldFault } from '../kernel/app-error.js';

/** An error as RFC 9457 wants it (`application/problem+json`). `type` is `/problems/<code>` and stable. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly errors?: readonly FieldFault[];
  readonly [extra: string]: unknown;
}
