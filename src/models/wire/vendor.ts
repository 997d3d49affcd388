/** What went wrong, as the vendor told it. */
export interface Fault {
  /** Of an HTTP response, or what stands for one in the vendor's words. */
  readonly status: number | undefined;
  /** The vendor's word for it. */
  readonly code: string | undefined;
  readonly detail: string;
  readonly headers?: Headers;
}

/** What the errors of one vendor look like, and what to advise. */
export interface Vendor {
  /** What its SDK made of a failed request; undefined for an error that is not the SDK's. */
  readonly fault: (error: unknown) => Fault | 'timeout' | 'unreachable' | undefined;
  /** The HTTP status that stands for a word of the vendor's in a stream; a word that is not here may pass. */
  readonly statuses: ReadonlyMap<string, number>;
  /** Sentences on what to check. */
  readonly advice: {
    readonly key: string;
    readonly not_found: string;
    readonly url: string;
    readonly bad_response: string;
  };
}
