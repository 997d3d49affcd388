import { ConfigError } from '../../config/config-error.js';

/** A fault of a rules file: `permissions.json:12:5 rules[3].matcher.pattern`, and what is wrong there. */
export interface RulesFileFault {
  readonly place: string;
  readonly message: string;
}

/** The file that PERMISSIONS_FILE names can't be used. The server must not start with rules that are not those it was given. */
export class RulesFileError extends ConfigError {
  constructor(faults: readonly RulesFileFault[], options?: ErrorOptions) {
    super(
      faults.map(({ place, message }) => ({ variable: place, problem: message })),
      options,
    );
  }
}
