import type { ApprovalMode } from '../protocol/chat-settings.js';
import type { ModelPrices } from '../protocol/budget.js';
import type { ThinkingEffort } from '../protocol/thinking.js';
import type { FacadeName } from './facade-names.js';
import type { SAMPLERS } from './schema.js';
import type { MasterKey } from './secrets/master-key.js';
import type { Prices } from './prices/prices.js';
import type { Secret } from './secrets/secret.js';

export type StoreKind = 'database' | 'file';
export type WorkspaceMode = 'chat' | 'shared';
export type SandboxChoice = 'auto' | 'bwrap' | 'none';
export type SecretScope = 'all' | 'own' | 'none';
/** Treatment of a conversation that no longer fits its model. */
export type ContextStrategy = 'compact' | 'window' | 'none';
/** `api` serves clients, `worker` runs agents, `all` does both. */
export type Role = 'all' | 'api' | 'worker';
/** Accepted credentials; `none`: no request needs one. */
export type AuthMethod = 'none' | 'keys' | 'jwt';

/** Which traces are exported, by OpenTelemetry's names. */
export type Sampler = (typeof SAMPLERS)[number];

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
export type LogFormat = 'json' | 'pretty';

/**
 * The configuration, checked and frozen. Each field is the variable of its name: `dataDir` is
 * `DATA_DIR`.
 */
export class Config {
  /** TCP port; 0 selects a free one. */
  readonly port: number;
  /** The address or name to listen on. */
  readonly host: string;
  /**
   * Allowed `Host` headers; `*` allows any. Empty: loopback names, and if `host` is no loopback
   * address also `host` and IP addresses.
   */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may call the API from a browser; exact. */
  readonly corsOrigins: readonly string[];
  /** True to serve the console to browsers. */
  readonly ui: boolean;
  /** The protocols that are served beside the API. */
  readonly facades: readonly FacadeName[];

  /** Not empty; `none` is alone. */
  readonly auth: readonly AuthMethod[];
  /** A key of tenant `default` with all scopes. */
  readonly adminKey?: Secret;
  readonly jwtIssuer?: string;
  readonly jwtAudience?: string;
  /** The public keys of the issuer; undefined: `jwtSecret` is the key of HS256. */
  readonly jwtJwksUrl?: string;
  readonly jwtSecret?: Secret;
  /** The claim that names the tenant. */
  readonly jwtTenantClaim: string;
  /** The console as the issuer knows it; undefined: people paste tokens. */
  readonly oidcClientId?: string;
  /** Scopes that the console asks the issuer for, separated by spaces. */
  readonly oidcScopes: string;

  /** Absolute path. */
  readonly dataDir: string;
  readonly store: StoreKind;
  /** A `postgres://` URL; without one the database is embedded. */
  readonly databaseUrl?: Secret;
  /**
   * A `redis://` URL, shared by the processes of one server; without one there is a single process.
   */
  readonly redisUrl?: Secret;
  /** Time that Redis caches the conversation of an idle chat, in milliseconds; 0: never. */
  readonly hotMemoryTtlMs: number;
  readonly role: Role;
  /** True to run migrations at start. */
  readonly migrate: boolean;
  /** Timeout for retries of a write while the database is unavailable, in milliseconds. */
  readonly saveTimeoutMs: number;

  /** Default model, `<provider>/<name>`; several, separated by commas, are tried in order. */
  readonly model: string;
  /** The reason for this default, for the log. */
  readonly modelReason: string;
  readonly openaiApiKey?: Secret;
  readonly openaiBaseUrl?: string;
  readonly anthropicApiKey?: Secret;
  readonly anthropicBaseUrl?: string;
  /** Default limit of output tokens per turn; without one the provider decides. */
  readonly modelMaxOutputTokens?: number;
  /** Default reasoning effort; without one the model decides. */
  readonly modelThinking?: ThinkingEffort;
  /**
   * Models that accept images: names, prefixes with a `*`, or `none`. Empty: recognised by name.
   */
  readonly modelImages: readonly string[];
  /** Longest silence of a model, before the first byte or between two, in milliseconds. */
  readonly modelTimeoutMs: number;
  /** Absolute path of a folder for files with requests and answers of models. */
  readonly modelDebugDir?: string;
  /** An HTTP proxy for all requests with https, which may have a password. */
  readonly httpsProxy?: Secret;
  /** Hosts and domains, in lower case, that are reached without the proxy; `*` is all. */
  readonly noProxy: readonly string[];
  /** Without a key or an endpoint for audio, OpenAI's own is used where its key is set. */
  readonly audioApiKey?: Secret;
  readonly audioBaseUrl?: string;
  readonly transcribeModel: string;
  readonly speechModel: string;
  /** The voice of speech for which none is named. */
  readonly speechVoice: string;
  /** Largest recording, in bytes. */
  readonly audioMaxBytes: number;
  /** Longest recording, in milliseconds. */
  readonly audioMaxMs: number;
  /** Default context window, input and output together, in tokens. */
  readonly modelContextTokens: number;
  /** Context windows by `<provider>/<name>`. */
  readonly modelContexts?: Readonly<Record<string, number>>;
  /** `compact` summarises what no longer fits, `window` drops it, `none` sends everything. */
  readonly contextStrategy: ContextStrategy;

  /** Largest session log to import, in bytes. */
  readonly importMaxBytes: number;
  /** Encrypt saved data: the first encrypts, all decrypt. Undefined: it is not encrypted. */
  readonly encryptionKeys?: readonly [MasterKey, ...MasterKey[]];
  /** Largest file to upload, in bytes. */
  readonly fileMaxBytes: number;
  /** Where the bytes of files are: in `filesDir`, or in a bucket. */
  readonly fileStore: 'local' | 's3';
  /** Absolute path, by default `files` in `dataDir`; the same for all processes. */
  readonly filesDir: string;
  /** Undefined: Amazon's. */
  readonly s3Endpoint?: string;
  /** Set if `fileStore` is `s3`. */
  readonly s3Bucket?: string;
  readonly s3Region: string;
  /** True to name the bucket in the path, not in the host. */
  readonly s3ForcePathStyle: boolean;
  /** Set together or not at all: without them, the usual places of Amazon's tools apply. */
  readonly s3AccessKeyId?: string;
  readonly s3SecretAccessKey?: Secret;

  /**
   * Redaction of outputs: everything that looks like a key, only the server's own secrets, or
   * nothing.
   */
  readonly guardrailSecrets: SecretScope;
  /** True to redact these secrets also in what people and clients send. */
  readonly guardrailSecretsInput: boolean;
  /** Path of a JSON file with patterns to redact everywhere. */
  readonly redactPatterns?: string;
  /** The values of all secret variables. */
  readonly environmentSecrets: readonly { readonly name: string; readonly value: Secret }[];
  /** Tokens of a user's text, and of a model turn; 0: no limit. */
  readonly guardrailMaxInputTokens: number;
  readonly guardrailMaxOutputTokens: number;
  /** Time limit of a guardrail, in milliseconds. */
  readonly guardrailTimeoutMs: number;

  /** Path of a JSON file with permission rules. */
  readonly permissionsFile?: string;
  /** Absolute path of the folder with agent files. */
  readonly agentsDir: string;
  /** The kind of agent of a start that names none. */
  readonly defaultAgent: string;
  /** Path of a text that replaces the system prompt of `react`. */
  readonly systemPromptFile?: string;
  /** Path of a JSON file with MCP servers; by default `./mcp.json`, if it exists. */
  readonly mcpConfig?: string;
  /** Time for an MCP server to start and to list its tools, in milliseconds. */
  readonly mcpStartTimeoutMs: number;
  /** Any variable, for configuration files that refer to it. */
  readonly variable: (name: string) => string | undefined;

  /**
   * Absolute path of the folder that tools work in (`shared`), or of the parent of one per chat.
   */
  readonly workspaceDir: string;
  readonly workspaceMode: WorkspaceMode;
  /** Absolute paths; a chat may use a folder inside one of them as its workspace. */
  readonly workspaceRoots: readonly string[];
  /**
   * Absolute paths of the server's data, configuration and code, some of which may not exist: no
   * command in a sandbox sees them, and no chat may name a workspace in or around them.
   */
  readonly ownPaths: readonly string[];
  readonly sandbox: SandboxChoice;
  /** Network access for commands in a sandbox. */
  readonly sandboxNetwork: boolean;
  /** The complete environment of commands. */
  readonly commandEnvironment: Readonly<Record<string, string>>;

  /** Model turns of an agent by default, and the most that a client may ask for. */
  readonly maxIterations: number;
  readonly maxConcurrentRuns: number;
  /** Consecutive losses alone among suspects after which an interaction is given up. */
  readonly crashLoopLimit: number;
  /** Tool calls per interaction, and per chat and minute; 0: no limit. */
  readonly maxToolCalls: number;
  readonly toolCallsPerMinute: number;
  /** Budget of one interaction with all its agents; 0: no limit. */
  readonly maxTokens: number;
  readonly maxWallTimeMs: number;
  readonly maxCostUsd: number;
  readonly modelPrices?: ModelPrices;
  /** Path of a JSON file with further prices. */
  readonly pricesFile?: string;
  /** Prices that apply, from all sources. */
  readonly prices: Prices;
  /**
   * Levels of agents below the root of an interaction, concurrent agents, and all that it starts.
   */
  readonly maxAgentDepth: number;
  readonly maxAgents: number;
  readonly maxAgentsTotal: number;
  /** Concurrent model turns of one interaction. */
  readonly maxParallelTurns: number;
  /** Records in the log of an interaction, without those of its end. */
  readonly maxRecords: number;
  /** Quotas of each tenant; 0: none. */
  readonly quotaRuns: number;
  readonly quotaStartsPerMinute: number;
  /** Input and output together, in a day of UTC. */
  readonly quotaTokensPerDay: number;
  readonly quotaBytes: number;
  /** Chats that were not touched for longer are removed; 0: none. */
  readonly retentionDays: number;
  /** Where webhooks go; undefined: nowhere. */
  readonly webhookUrl?: Secret;
  /** Signs them; set if `webhookUrl` is. */
  readonly webhookSecret?: Secret;
  /** Where traces and metrics go by OTLP; undefined: nowhere. */
  readonly otelExporterOtlpEndpoint?: string;
  /** `name=value,…`, which may have a key. */
  readonly otelExporterOtlpHeaders?: Secret;
  readonly otelExporterOtlpProtocol: 'http/protobuf' | 'http/json';
  readonly otelServiceName: string;
  readonly otelTracesSampler: Sampler;
  /** Ratio for the samplers that have one: from 0 to 1. */
  readonly otelTracesSamplerArg: number;
  readonly otelMetricExportInterval: number;
  /** True: spans have the texts of messages and calls. */
  readonly otelInstrumentationGenaiCaptureMessageContent: boolean;
  readonly toolTimeoutMs: number;
  /** Characters of a tool's output that the model sees. */
  readonly toolOutputLimit: number;
  /** Memory limit of one Python program, in megabytes. */
  readonly pythonMemoryMb: number;
  /** Memory limit of all Python programs of this process together, in megabytes. */
  readonly pythonTotalMb: number;
  /** Values of `approval_mode` that a client may choose. */
  readonly allowedApprovalModes: readonly ApprovalMode[];
  /** Mode of a start that names none, among the allowed; `ask` unless given, or the first. */
  readonly approvalMode: ApprovalMode;
  /** Time that a request to a person stays open, in milliseconds; 0: for ever. */
  readonly approvalTimeoutMs: number;
  /** Time that a run that only waits for people stays in memory, in milliseconds. */
  readonly parkAfterMs: number;
  readonly disconnectGraceMs: number;
  readonly heartbeatMs: number;
  /** Time that an idle connection stays open, in milliseconds. */
  readonly keepAliveTimeoutMs: number;
  readonly leaseTtlMs: number;
  readonly shutdownGraceMs: number;
  /** Open event streams of this process, and of one interaction through it. */
  readonly maxStreams: number;
  readonly maxStreamsPerInteraction: number;
  /** Requests and uploads of one user that this process has not answered yet. */
  readonly maxRequests: number;
  readonly maxUploads: number;
  /** Maximum size of answers that clients have not read yet. */
  readonly maxUnreadBytes: number;

  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;

  /** Probable mistakes, such as a misspelt variable; one sentence each. */
  readonly warnings: readonly string[];

  constructor(values: Readonly<Config>) {
    Object.assign(this, values);
    Object.freeze(this);
  }
}
