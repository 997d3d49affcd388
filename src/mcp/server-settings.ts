/** The settings of the connection to one MCP server. */
export type ServerSettings = StdioSettings | HttpSettings;

export interface StdioSettings {
  readonly kind: 'stdio';
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /**
   * Besides the variables that every program needs (`PATH`, `HOME`, …); nothing else of the
   * server's environment is inherited.
   */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface HttpSettings {
  readonly kind: 'http';
  readonly name: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}
