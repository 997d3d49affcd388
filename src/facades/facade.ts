import type { Type } from '@nestjs/common';
import type { FacadeName } from '../config/facade-names.js';
import type { PathRules } from '../http/path-rules.js';

/** A protocol of others, as a projection of the log. */
export interface Facade {
  readonly name: FacadeName;
  /** Its paths, in lower case: `/v1/` is `/v1` with all below it; others are whole paths. */
  readonly paths: readonly string[];
  readonly rules: PathRules;
  readonly module: Type;
}
