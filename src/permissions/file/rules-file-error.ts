import { ConfigError } from '../../config/config-error.js';

/**
 * A fault of a rules file: its place, such as `permissions.json:12:5 rules[3].matcher.pattern`, and
 * its description.
 */
export interface RulesFileFault {
  readonly place: string;
  readonly message: string;
}

/**
 * The file that PERMISSIONS_FILE names is invalid. The server must not start with rules that differ
 * from the given ones.
 */
export class RulesFileError extends ConfigError {
  constructor(faults: readonly RulesFileFault[], options?: ErrorOptions) {
    super(
      faults.map(({ place, message }) => ({ variable: place, problem: message })),
      options,
    );
  }
}
