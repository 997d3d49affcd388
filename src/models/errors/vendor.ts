/** An error as the vendor reported it. */
export interface Fault {
  /** The HTTP status of the response, or the equivalent from the vendor's error code. */
  readonly status: number | undefined;
  /** The vendor's error code. */
  readonly code: string | undefined;
  readonly detail: string;
  /** The part of the request that it names. */
  readonly param?: string | undefined;
  readonly headers?: Headers;
  /** The JSON of the whole error, or its text. */
  readonly body?: unknown;
}

/** The error formats of one vendor, and its advice texts. */
export interface Vendor {
  /** The name of its provider. */
  readonly name: string;
  /** The fault in an error of the vendor's SDK; undefined if the error is not the SDK's. */
  readonly fault: (error: unknown) => Fault | 'timeout' | 'unreachable' | undefined;
  /**
   * HTTP statuses by error code of the vendor in a stream. An unlisted code counts as transient.
   */
  readonly statuses: ReadonlyMap<string, number>;
  /** Sentences that name the things to check. */
  readonly advice: {
    readonly key: string;
    readonly not_found: string;
    readonly url: string;
    readonly bad_response: string;
  };
}
