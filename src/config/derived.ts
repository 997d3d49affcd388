import { join, resolve } from 'node:path';
import { PACKAGE_ROOT } from '../kernel/disk/package-root.js';
import type { ApprovalMode } from '../protocol/chat-settings.js';
import type { Variables } from './schema.js';
import { Secret } from './secrets/secret.js';

type ModelVariables = Pick<
  Variables,
  'MODEL' | 'OPENAI_API_KEY' | 'OPENAI_BASE_URL' | 'ANTHROPIC_API_KEY'
>;

/** The default model that each variable selects, in order of precedence. */
const DEFAULTS = [
  ['OPENAI_API_KEY', 'openai/gpt-5-mini'],
  ['OPENAI_BASE_URL', 'openai/gpt-5-mini'],
  ['ANTHROPIC_API_KEY', 'anthropic/claude-sonnet-5'],
] as const;

/**
 * The default model and the reason, for the log: `MODEL`, else a vendor with a key or an endpoint,
 * else the demo.
 */
export function chooseModel(variables: ModelVariables): { model: string; modelReason: string } {
  if (variables.MODEL) return { model: variables.MODEL, modelReason: 'MODEL is set' };
  for (const [name, model] of DEFAULTS)
    if (variables[name]) return { model, modelReason: `${name} is set` };
  return {
    model: 'demo/script',
    modelReason: 'neither MODEL, OPENAI_API_KEY, OPENAI_BASE_URL nor ANTHROPIC_API_KEY is set',
  };
}

/**
 * Variables of the server that commands of tools inherit: programs, language, time zone. No
 * secrets.
 */
const INHERITED = ['PATH', 'LANG', 'LANGUAGE', 'TZ'];
const INHERITED_PREFIX = 'LC_';
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Commands run without a terminal and without a person to answer prompts. */
const NON_INTERACTIVE = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};

/**
 * Git runs programs that its configuration names. An agent could write a folder in the workspace
 * that looks like a repository without `.git`, and what a file system monitor is for.
 */
const GIT_SETTINGS = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'safe.bareRepository',
  GIT_CONFIG_VALUE_0: 'explicit',
  GIT_CONFIG_KEY_1: 'core.fsmonitor',
  GIT_CONFIG_VALUE_1: 'false',
};

export function pickCommandEnvironment(
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const inherited = Object.entries(given).filter(
    ([name]) => INHERITED.includes(name) || name.startsWith(INHERITED_PREFIX),
  );
  return Object.freeze({
    PATH: DEFAULT_PATH,
    ...Object.fromEntries(inherited),
    ...NON_INTERACTIVE,
    ...GIT_SETTINGS,
  });
}

/** Names of variables that hold secrets, and of URLs that may contain a password. */
export const SECRET_NAME =
  /(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PAT|CREDENTIALS?)$|^((DATABASE|REDIS)_URL|HTTPS_PROXY)$/i;

/** The values of variables that are secret by their names, or that are `named` as such. */
export function findSecrets(
  given: Readonly<Record<string, string>>,
  named: readonly string[],
): { name: string; value: Secret }[] {
  return Object.entries(given)
    .filter(([name]) => SECRET_NAME.test(name) || named.includes(name))
    .map(([name, value]) => ({ name, value: new Secret(value) }));
}

/** An absolute path. */
export function filesDirOf({
  DATA_DIR,
  FILES_DIR = join(DATA_DIR, 'files'),
}: Pick<Variables, 'DATA_DIR' | 'FILES_DIR'>): string {
  return resolve(FILES_DIR);
}

/** Absolute paths of the server's own data, configuration and code, which agents may not touch. */
export function findOwnPaths({
  DATA_DIR,
  FILES_DIR,
  AGENTS_DIR,
  MCP_CONFIG = './mcp.json',
  MODEL_DEBUG_DIR,
  PERMISSIONS_FILE,
  PRICES_FILE,
  REDACT_PATTERNS,
  SYSTEM_PROMPT_FILE,
}: Pick<
  Variables,
  | 'DATA_DIR'
  | 'FILES_DIR'
  | 'AGENTS_DIR'
  | 'MCP_CONFIG'
  | 'MODEL_DEBUG_DIR'
  | 'PERMISSIONS_FILE'
  | 'PRICES_FILE'
  | 'REDACT_PATTERNS'
  | 'SYSTEM_PROMPT_FILE'
>): string[] {
  const named = [
    MODEL_DEBUG_DIR,
    PERMISSIONS_FILE,
    PRICES_FILE,
    REDACT_PATTERNS,
    SYSTEM_PROMPT_FILE,
  ];
  const files = [MCP_CONFIG, '.env', ...named.filter((file) => file !== undefined)];
  const folders = [DATA_DIR, filesDirOf({ DATA_DIR, FILES_DIR }), AGENTS_DIR];
  return [...[...folders, ...files].map((path) => resolve(path)), PACKAGE_ROOT];
}

/** The default of `approval_mode`. */
export function chooseApprovalMode({
  APPROVAL_MODE,
  ALLOWED_APPROVAL_MODES: allowed,
}: Pick<Variables, 'APPROVAL_MODE' | 'ALLOWED_APPROVAL_MODES'>): ApprovalMode {
  return APPROVAL_MODE ?? (allowed.includes('ask') ? 'ask' : (allowed[0] ?? 'ask'));
}
