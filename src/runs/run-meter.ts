/** Port: counts what runs do and do not write to their logs. */
export abstract class RunMeter {
  /** A request to a model failed; it may be sent again. */
  abstract modelFailed(code: string): void;
}
