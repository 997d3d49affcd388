/** One variable that can't be used as it is. `problem` says what is wrong and what is allowed, and never a secret's value. */
export interface ConfigFault {
  readonly variable: string;
  readonly problem: string;
}

/** Everything that is wrong with the environment, at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(
    readonly faults: readonly ConfigFault[],
    options?: ErrorOptions,
  ) {
    super(describe(faults), options);
  }
}

function describe(faults: readonly ConfigFault[]): string {
  const lines = faults.map(({ variable, problem }) => `  ${variable}: ${problem}`);
  return ['The configuration has faults:', ...lines].join('\n');
}
