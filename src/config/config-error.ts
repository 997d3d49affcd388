/**
 * Fault of a variable. `problem` says what is wrong and what is allowed; it never has a secret's
 * value.
 */
export interface ConfigFault {
  readonly variable: string;
  readonly problem: string;
}

/** Everything that is wrong with the configuration. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(
    readonly faults: readonly ConfigFault[],
    options?: ErrorOptions,
  ) {
    const lines = faults.map(({ variable, problem }) => `  ${variable}: ${problem}`);
    super(['Invalid configuration:', ...lines].join('\n'), options);
  }
}
