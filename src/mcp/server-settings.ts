/** How to reach one MCP server. */
export type ServerSettings = StdioSettings | HttpSettings;

export interface StdioSettings {
  readonly kind: 'stdio';
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Besides what every program needs (`PATH`, `HOME`, …): nothing of ours is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface HttpSettings {
  readonly kind: 'http';
  readonly name: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}
