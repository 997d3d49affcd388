/** Connection settings of a vendor. */
export interface HttpProviderOptions {
  /** Local servers need none. */
  readonly apiKey?: string;
  /** Default: the vendor's own. */
  readonly baseUrl?: string;
  /** The URL of the HTTP proxy for an endpoint, if there is one. */
  readonly proxyFor?: (url: string) => string | undefined;
  /** Idle timeout of the server, in milliseconds; default two minutes. */
  readonly timeoutMs?: number;
  /**
   * Maximum number of characters of one turn's text, thinking and arguments together; default
   * 2,000,000.
   */
  readonly maxTurnChars?: number;
  /** True if a model, `<provider>/<name>`, accepts images; by default its name decides. */
  readonly sees?: (model: string) => boolean;
}
