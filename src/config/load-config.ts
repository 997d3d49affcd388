import { resolve } from 'node:path';
import type { z } from 'zod';
import { camelCased } from './camel-case.js';
import { Config } from './config.js';
import { pickCommandEnvironment } from './command-environment.js';
import { ConfigError } from './config-error.js';
import type { ConfigFault } from './config-error.js';
import { chooseModel } from './choose-model.js';
import { environment, SECRET_VARIABLES } from './schema.js';
import type { Variables } from './schema.js';
import { findMisspelt } from './find-misspelt.js';
import { findOverlaps } from './find-overlaps.js';
import { findSecrets } from './find-secrets.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration from variables; one that is empty counts as unset, one that we don't know is left alone.
 * On a terminal, logs are `pretty` unless told otherwise.
 * @throws ConfigError with every fault
 */
export function loadConfig(env: Environment, isTerminal = false): Config {
  const given = withoutEmpty(env);
  const { data, error } = environment.safeParse(given);
  const faults = [
    ...(error?.issues ?? []).map((issue) => toFault(issue, given)),
    ...findContradictions(given),
    ...(data ? findOverlaps(data) : []),
  ];
  if (!data || faults.length > 0) throw new ConfigError(faults);
  return new Config(complete(data, { isTerminal, given }));
}

function withoutEmpty(env: Environment): Record<string, string> {
  const entries = Object.entries(env).map(([name, value]) => [name, value?.trim()]);
  return Object.fromEntries(entries.filter(([, value]) => value)) as Record<string, string>;
}

function toFault(issue: z.core.$ZodIssue, given: Record<string, string>): ConfigFault {
  const variable = String(issue.path[0]);
  const value = given[variable] ?? '';
  const shown = SECRET_VARIABLES.has(variable) ? 'its value' : JSON.stringify(value.slice(0, 60));
  return { variable, problem: `${shown} ${issue.message}` };
}

/** Faults between variables that are right one by one. */
function findContradictions(given: Record<string, string>): ConfigFault[] {
  const faults: ConfigFault[] = [];
  if (given['STORE'] === 'file' && given['DATABASE_URL'])
    faults.push({
      variable: 'STORE',
      problem: '"file" means that no database runs, but DATABASE_URL is set; unset one of them',
    });
  if (given['REDIS_URL']?.startsWith('redis') && !given['DATABASE_URL'])
    faults.push({
      variable: 'REDIS_URL',
      problem:
        'its value is for several processes on one database: set DATABASE_URL too, or unset it',
    });
  if (['api', 'worker'].includes(given['ROLE'] ?? '') && !given['REDIS_URL'])
    faults.push({
      variable: 'ROLE',
      problem: `"${given['ROLE']}" leaves a part of the work to other processes: set REDIS_URL and DATABASE_URL, which they share`,
    });
  for (const provider of ['OPENAI', 'ANTHROPIC']) {
    const name = modelOf(provider, given);
    if (name && !given[`${provider}_API_KEY`] && !given[`${provider}_BASE_URL`])
      faults.push({
        variable: 'MODEL',
        problem: `"${name}" needs ${provider}_API_KEY, or ${provider}_BASE_URL for a server that takes no key`,
      });
  }
  return faults;
}

/** The model of a provider that is asked for, if one is. */
function modelOf(provider: string, given: Record<string, string>): string | undefined {
  const names = given['MODEL']?.split(',').map((name) => name.trim());
  return names?.find((name) => name.startsWith(`${provider.toLowerCase()}/`));
}

function complete(
  data: Variables,
  context: { readonly isTerminal: boolean; readonly given: Readonly<Record<string, string>> },
): Config {
  return {
    ...camelCased(data),
    ...chooseModel(data),
    dataDir: resolve(data.DATA_DIR),
    agentsDir: resolve(data.AGENTS_DIR),
    workspaceDir: resolve(data.WORKSPACE_DIR),
    workspaceRoots: data.WORKSPACE_ROOTS.map((path) => resolve(path)),
    environmentSecrets: findSecrets(context.given, data.GUARDRAIL_SECRET_VARIABLES),
    commandEnvironment: pickCommandEnvironment(context.given),
    logFormat: data.LOG_FORMAT ?? (context.isTerminal ? 'pretty' : 'json'),
    variable: (name) => context.given[name],
    warnings: findMisspelt(Object.keys(context.given), Object.keys(environment.shape)),
  };
}
