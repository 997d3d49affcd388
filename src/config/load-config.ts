import { resolve } from 'node:path';
import type { z } from 'zod';
import { findAuthFaults, findOpenDoor, findUnnamed } from './auth-checks.js';
import {
  findContradictions,
  findForbiddenMode,
  findOpenTurns,
  findOpenWebhook,
  findOverlaps,
  findUnknown,
} from './checks.js';
import { Config } from './config.js';
import type { Settings } from './config.js';
import { ConfigError } from './config-error.js';
import type { ConfigFault } from './config-error.js';
import {
  chooseApprovalMode,
  chooseModel,
  filesDirOf,
  findOwnPaths,
  findSecrets,
  pickCommandEnvironment,
} from './derived.js';
import { environment, SECRET_VARIABLES } from './schema.js';
import { pricesOf } from './prices/prices.js';
import { readPrices } from './prices/read-prices.js';
import { findSharedRoots } from './tenant-paths.js';
import type { Variables } from './schema.js';

const KNOWN = Object.keys(environment.shape);
/** Tools and their servers never get these, even if a configuration file refers to them. */
const OWN_SECRETS = [
  'ADMIN_KEY',
  'JWT_SECRET',
  'ENCRYPTION_KEYS',
  'S3_SECRET_ACCESS_KEY',
  'WEBHOOK_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
];

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Checks variables and derives the configuration. Empty variables count as unset, unknown ones are
 * ignored. On a terminal, logs are `pretty` by default. `inFile`: the names that `.env` has.
 * @throws ConfigError with every fault
 */
export function loadConfig(
  env: Environment,
  isTerminal = false,
  inFile: readonly string[] = [],
): Config {
  const given = withProxies(withoutEmpty(env));
  const { data, error } = environment.safeParse(given);
  const { prices, faults: faultsOfPrices } = readPrices(data?.PRICES_FILE);
  const faults = [
    ...(error?.issues ?? []).map((issue) => toFault(issue, given)),
    ...findContradictions(given),
    ...faultsOfPrices,
    ...(data
      ? [
          ...findOverlaps(data),
          ...findAuthFaults(data),
          ...findForbiddenMode(data),
          ...findSharedRoots(data),
        ]
      : []),
  ];
  if (!data || faults.length > 0) throw new ConfigError(faults);
  return new Config({
    ...camelCased(data),
    ...chooseModel(data),
    prices: pricesOf(data, prices),
    approvalMode: chooseApprovalMode(data),
    auth: data.AUTH ?? ['none'],
    dataDir: resolve(data.DATA_DIR),
    filesDir: filesDirOf(data),
    agentsDir: resolve(data.AGENTS_DIR),
    ...(data.MODEL_DEBUG_DIR !== undefined && { modelDebugDir: resolve(data.MODEL_DEBUG_DIR) }),
    workspaceDir: resolve(data.WORKSPACE_DIR),
    workspaceRoots: data.WORKSPACE_ROOTS.map((path) => resolve(path)),
    ownPaths: findOwnPaths(data),
    environmentSecrets: [
      ...findSecrets(given, data.GUARDRAIL_SECRET_VARIABLES),
      ...(data.ENCRYPTION_KEYS ?? []).map(({ secret }) => ({
        name: 'ENCRYPTION_KEYS',
        value: secret,
      })),
    ],
    commandEnvironment: pickCommandEnvironment(given),
    logFormat: data.LOG_FORMAT ?? (isTerminal ? 'pretty' : 'json'),
    variable: (name) => (OWN_SECRETS.includes(name) ? undefined : given[name]),
    warnings: [
      ...findUnknown(Object.keys(given), { known: KNOWN, inFile }),
      ...findUnnamed(data),
      ...findOpenDoor(data),
      ...findOpenWebhook(data),
      ...findOpenTurns(data),
    ],
  });
}

function withoutEmpty(env: Environment): Record<string, string> {
  const entries = Object.entries(env).map(([name, value]) => [name, value?.trim()]);
  return Object.fromEntries(entries.filter(([, value]) => value)) as Record<string, string>;
}

/** The variables of proxies are as common in lower case. */
function withProxies({
  https_proxy,
  no_proxy,
  ...given
}: Record<string, string>): Record<string, string> {
  return {
    ...(https_proxy !== undefined && { HTTPS_PROXY: https_proxy }),
    ...(no_proxy !== undefined && { NO_PROXY: no_proxy }),
    ...given,
  };
}

function toFault(issue: z.core.$ZodIssue, given: Record<string, string>): ConfigFault {
  const variable = String(issue.path[0]);
  const value = given[variable] ?? '';
  const shown = SECRET_VARIABLES.has(variable) ? 'its value' : JSON.stringify(value.slice(0, 60));
  return { variable, problem: `${shown} ${issue.message}` };
}

function camelCased(variables: Variables): Settings {
  const entries = Object.entries(variables).map(([name, value]) => [camelCase(name), value]);
  return Object.fromEntries(entries) as Settings;
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
