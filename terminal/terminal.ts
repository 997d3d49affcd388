import type { Environment } from './environment.js';
import type { Output } from './screen/output.js';

/** Things that every command works with. */
export interface Terminal {
  readonly environment: Environment;
  readonly out: Output;
  readonly err: Output;
}
