import type { ModelPrices } from '../protocol/budget.js';
import type { Secret } from './secret.js';

export type StoreKind = 'database' | 'file';
export type WorkspaceMode = 'chat' | 'shared';
export type SandboxChoice = 'auto' | 'bwrap' | 'none';
export type ModelThinking = 'low' | 'medium' | 'high';
export type SecretScope = 'all' | 'own' | 'none';
/** What becomes of a conversation that has grown too long for its model. */
export type ContextStrategy = 'compact' | 'window' | 'none';
/** `api` answers clients and runs nothing, `worker` runs and answers no clients, `all` does both. */
export type Role = 'all' | 'api' | 'worker';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
export type LogFormat = 'json' | 'pretty';

/** What the operator chose, checked and frozen. Each field is the environment variable of its name: `dataDir` is `DATA_DIR`. */
export class Config {
  /** TCP port; 0 takes a free one. */
  readonly port: number;
  /** The address or name to listen on. */
  readonly host: string;
  /** Host names that requests may name; `*` allows any. Empty: decided by `host`. */
  readonly allowedHosts: readonly string[];

  /** Absolute path. */
  readonly dataDir: string;
  readonly store: StoreKind;
  /** A `postgres://` URL; without one the database is embedded. */
  readonly databaseUrl?: Secret;
  /** A `redis://` URL, with which several processes are one server; without one this is the only process. */
  readonly redisUrl?: Secret;
  /** How long Redis keeps the conversation of a chat that nobody speaks in, in milliseconds; 0: it keeps none. */
  readonly hotMemoryTtlMs: number;
  /** What this process does. */
  readonly role: Role;
  /** Whether to run migrations at start. */
  readonly migrate: boolean;
  /** How long to try to write while the database is away, in milliseconds. */
  readonly saveTimeoutMs: number;

  /** `<provider>/<name>` of interactions that don't choose; several, separated by commas, are tried in their order. */
  readonly model: string;
  /** Why it is that one, for the log. */
  readonly modelReason: string;
  readonly openaiApiKey?: Secret;
  readonly openaiBaseUrl?: string;
  readonly anthropicApiKey?: Secret;
  readonly anthropicBaseUrl?: string;
  /** Tokens that a turn may have where nobody says; else the provider decides. */
  readonly modelMaxOutputTokens?: number;
  /** How hard models think where nobody says; else the model decides. */
  readonly modelThinking?: ModelThinking;
  /** Models that can be shown images, names and beginnings of names with a `*`; `none`. Empty: known by their names. */
  readonly modelImages: readonly string[];
  /** The longest silence of a model, before its first byte or between two, in milliseconds. */
  readonly modelTimeoutMs: number;
  /** Tokens of input and output together that models take, where `modelContexts` doesn't say. */
  readonly modelContextTokens: number;
  /** By `<provider>/<name>`. */
  readonly modelContexts?: Readonly<Record<string, number>>;
  /** `compact`: what no longer fits is summarised; `window`: it is left out; `none`: all is sent. */
  readonly contextStrategy: ContextStrategy;

  /** Bytes that a session log may have. */
  readonly importMaxBytes: number;

  /** What is redacted in outputs: whatever looks like a key, only what the server was told in secret, or nothing. */
  readonly guardrailSecrets: SecretScope;
  /** The values of all variables of the environment that are secret, by name. */
  readonly environmentSecrets: readonly { readonly name: string; readonly value: Secret }[];
  /** Tokens of a text of a person, and of a model turn; 0: no limit. */
  readonly guardrailMaxInputTokens: number;
  readonly guardrailMaxOutputTokens: number;
  /** How long a guardrail may take for an answer, in milliseconds. */
  readonly guardrailTimeoutMs: number;

  /** Path of a JSON file with permission rules. */
  readonly permissionsFile?: string;
  /** Absolute path of the folder with agents, one a file. */
  readonly agentsDir: string;
  /** Path of a JSON file with MCP servers; without, `./mcp.json` if it is there. */
  readonly mcpConfig?: string;
  /** Any variable of the environment, for files of the operator's that refer to it. */
  readonly variable: (name: string) => string | undefined;

  /** Absolute path of the folder that tools work in, or of the one with a folder per chat. */
  readonly workspaceDir: string;
  readonly workspaceMode: WorkspaceMode;
  /** Absolute paths: a chat may name a folder under one of them as its workspace. */
  readonly workspaceRoots: readonly string[];
  readonly sandbox: SandboxChoice;
  /** Whether commands in a sandbox reach the network. */
  readonly sandboxNetwork: boolean;
  /** All that a command gets to know of the environment. */
  readonly commandEnvironment: Readonly<Record<string, string>>;

  readonly maxIterations: number;
  readonly maxConcurrentRuns: number;
  /** Tool calls that one interaction may make, and that one chat may make in a minute; 0: no limit. */
  readonly maxToolCalls: number;
  readonly toolCallsPerMinute: number;
  /** What one interaction may use with all its agents; 0: no limit. */
  readonly maxTokens: number;
  readonly maxWallTimeMs: number;
  readonly maxCostUsd: number;
  readonly modelPrices?: ModelPrices;
  /** Levels of agents below the root of an interaction, and how many run at once. */
  readonly maxAgentDepth: number;
  readonly maxAgents: number;
  /** Model turns of one interaction that are streamed at once. */
  readonly maxParallelTurns: number;
  readonly toolTimeoutMs: number;
  /** Characters of a tool's output that the model gets to see. */
  readonly toolOutputLimit: number;
  /** Megabytes that one Python program's memory may grow to. */
  readonly pythonMemoryMb: number;
  /** How long an approval or a question stays open, in milliseconds; 0: for ever. */
  readonly approvalTimeoutMs: number;
  /** How long a run that only waits for people stays in memory, in milliseconds. */
  readonly parkAfterMs: number;
  readonly disconnectGraceMs: number;
  readonly heartbeatMs: number;
  readonly leaseTtlMs: number;
  readonly shutdownGraceMs: number;

  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;

  /** What looks like a mistake but may not be one, such as a misspelt variable. One sentence each. */
  readonly warnings: readonly string[];

  constructor(values: Readonly<Config>) {
    Object.assign(this, values);
    Object.freeze(this);
  }
}
