import { z } from 'zod';
import { APPROVAL_MODES } from '../protocol/interaction.js';
import {
  absolutePaths,
  amount,
  apiKey,
  hostName,
  hostNames,
  httpUrl,
  integer,
  longSecret,
  milliseconds,
  modelContexts,
  modelNames,
  modelPatterns,
  modelPrices,
  oneOf,
  postgresUrl,
  proxyUrl,
  redisUrl,
  someOf,
  trueOrFalse,
  unproxiedHosts,
  variableNames,
} from './settings.js';

/**
 * Every variable with its type and default, in the order of `.env.example`, which documents them.
 */
export const environment = z.object({
  OPENAI_API_KEY: apiKey().optional(),
  OPENAI_BASE_URL: httpUrl().optional(),
  ANTHROPIC_API_KEY: apiKey().optional(),
  MODEL: modelNames().optional(),
  PORT: integer(0, 65_535).default(3000),
  HOST: hostName().default('127.0.0.1'),
  DATABASE_URL: postgresUrl().optional(),
  WORKSPACE_DIR: z.string().default('./workspace'),

  ANTHROPIC_BASE_URL: httpUrl().optional(),
  MODEL_MAX_OUTPUT_TOKENS: integer(1, 1_000_000).optional(),
  MODEL_THINKING: oneOf('low', 'medium', 'high').optional(),
  MODEL_IMAGES: modelPatterns().default([]),
  MODEL_TIMEOUT_MS: milliseconds(1).default(120_000),
  HTTPS_PROXY: proxyUrl().optional(),
  NO_PROXY: unproxiedHosts().default([]),

  MODEL_CONTEXT_TOKENS: integer(1000, 1_000_000_000).default(128_000),
  MODEL_CONTEXTS: modelContexts().optional(),
  CONTEXT_STRATEGY: oneOf('compact', 'window', 'none').default('compact'),

  DATA_DIR: z.string().default('./data'),
  STORE: oneOf('database', 'file').default('database'),
  MIGRATE: trueOrFalse().default(true),
  SAVE_TIMEOUT_MS: milliseconds(0).default(5000),
  IMPORT_MAX_BYTES: integer(1, Number.MAX_SAFE_INTEGER).default(268_435_456),

  REDIS_URL: redisUrl().optional(),
  HOT_MEMORY_TTL_MS: milliseconds(0).default(600_000),
  ROLE: oneOf('all', 'api', 'worker').default('all'),
  LEASE_TTL_MS: milliseconds(100).default(15_000),

  AUTH: someOf('none', 'keys', 'jwt').optional(),
  ADMIN_KEY: longSecret().optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().optional(),
  JWT_JWKS_URL: httpUrl().optional(),
  JWT_SECRET: longSecret().optional(),
  JWT_TENANT_CLAIM: z.string().default('org_id'),
  ALLOWED_HOSTS: hostNames().default([]),
  DISCONNECT_GRACE_MS: milliseconds(0).default(30_000),
  HEARTBEAT_MS: milliseconds(10).default(15_000),
  SHUTDOWN_GRACE_MS: milliseconds(0).default(10_000),
  MAX_STREAMS: integer(1, 1_000_000).default(1000),
  MAX_STREAMS_PER_INTERACTION: integer(1, 1_000_000).default(200),

  MAX_ITERATIONS: integer(1, 1000).default(25),
  MAX_TOOL_CALLS: integer(0, 1_000_000).default(500),
  MAX_TOKENS: integer(0, Number.MAX_SAFE_INTEGER).default(10_000_000),
  MAX_WALL_TIME_MS: integer(0, Number.MAX_SAFE_INTEGER).default(14_400_000),
  MAX_COST_USD: amount(1_000_000).default(0),
  MODEL_PRICES: modelPrices().optional(),
  MAX_AGENT_DEPTH: integer(0, 16).default(4),
  MAX_AGENTS: integer(0, 1_000).default(100),
  MAX_AGENTS_TOTAL: integer(0, 100_000).default(200),
  MAX_PARALLEL_TURNS: integer(1, 1_000).default(16),
  MAX_RECORDS: integer(10, 1_000_000_000).default(100_000),

  MAX_CONCURRENT_RUNS: integer(1, 100_000).default(256),
  ALLOWED_APPROVAL_MODES: someOf(...APPROVAL_MODES).default([...APPROVAL_MODES]),
  APPROVAL_TIMEOUT_MS: milliseconds(0).default(0),
  PARK_AFTER_MS: milliseconds(0).default(60_000),
  CRASH_LOOP_LIMIT: integer(1, 1_000).default(5),

  QUOTA_RUNS: integer(0, 1_000_000).default(0),
  QUOTA_STARTS_PER_MINUTE: integer(0, 10_000).default(0),
  QUOTA_TOKENS_PER_DAY: integer(0, Number.MAX_SAFE_INTEGER).default(0),
  QUOTA_BYTES: integer(0, Number.MAX_SAFE_INTEGER).default(0),
  RETENTION_DAYS: integer(0, 36_500).default(0),

  TOOL_CALLS_PER_MINUTE: integer(0, 1_000_000).default(300),
  TOOL_TIMEOUT_MS: milliseconds(1).default(120_000),
  TOOL_OUTPUT_LIMIT: integer(100, 10_000_000).default(30_000),
  PYTHON_MEMORY_MB: integer(64, 2048).default(256),
  PYTHON_TOTAL_MB: integer(64, 1_000_000).default(2048),
  MCP_CONFIG: z.string().optional(),

  WORKSPACE_MODE: oneOf('chat', 'shared').default('chat'),
  WORKSPACE_ROOTS: absolutePaths().default([]),
  SANDBOX: oneOf('auto', 'bwrap', 'none').default('auto'),
  SANDBOX_NETWORK: trueOrFalse().default(false),

  AGENTS_DIR: z.string().default('./agents'),
  PERMISSIONS_FILE: z.string().optional(),

  GUARDRAIL_SECRETS: oneOf('all', 'own', 'none').default('all'),
  GUARDRAIL_SECRET_VARIABLES: variableNames().default([]),
  GUARDRAIL_SECRETS_INPUT: trueOrFalse().default(false),
  REDACT_PATTERNS: z.string().optional(),
  GUARDRAIL_MAX_INPUT_TOKENS: integer(0, Number.MAX_SAFE_INTEGER).default(0),
  GUARDRAIL_MAX_OUTPUT_TOKENS: integer(0, Number.MAX_SAFE_INTEGER).default(0),
  GUARDRAIL_TIMEOUT_MS: milliseconds(1).default(10_000),

  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  LOG_FORMAT: oneOf('json', 'pretty').optional(),
});

/** Variables whose values are never shown, not even invalid ones. */
export const SECRET_VARIABLES: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'REDIS_URL',
  'HTTPS_PROXY',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_BASE_URL',
  'ADMIN_KEY',
  'JWT_SECRET',
  'JWT_JWKS_URL',
]);

export type Variables = z.output<typeof environment>;
