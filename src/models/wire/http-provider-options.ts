/** How to reach a vendor. */
export interface HttpProviderOptions {
  /** Servers on one's own machine need none. */
  readonly apiKey?: string;
  /** The vendor's own unless given. */
  readonly baseUrl?: string;
  /** An HTTP proxy to reach it through. */
  readonly proxyUrl?: string;
  /** Longest silence of the server, in milliseconds; two minutes unless given. */
  readonly timeoutMs?: number;
  /** Most characters of one turn's text, thoughts and arguments together; 2,000,000 unless given. */
  readonly maxTurnChars?: number;
  /** Whether a model, by `<provider>/<name>`, can be shown images; by its name unless given. */
  readonly sees?: (model: string) => boolean;
}
