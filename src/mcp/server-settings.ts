/** The settings of the connection to one MCP server. */
export type ServerSettings = StdioSettings | HttpSettings;

interface CommonSettings {
  readonly name: string;
  /**
   * True: the annotations of its tools are believed. False: each of its tools may do anything, as
   * the protocol says of a tool without annotations.
   */
  readonly trust: boolean;
}

export interface StdioSettings extends CommonSettings {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /**
   * Besides the variables that every program needs (`PATH`, `HOME`, …); nothing else of the
   * server's environment is inherited.
   */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface HttpSettings extends CommonSettings {
  readonly kind: 'http';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** URL of an HTTP proxy, with its password. */
  readonly proxyUrl?: string;
}
