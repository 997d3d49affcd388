import { relative, resolve, sep } from 'node:path';
import { editDistance } from '../kernel/text/edit-distance.js';
import { SECRET_NAME } from './derived.js';
import type { ConfigFault } from './config-error.js';
import { isLoopback } from './is-loopback.js';
import { TENANT, commonPart } from './tenant-paths.js';
import type { Variables } from './schema.js';

type Given = Readonly<Record<string, string>>;

/** Contradictions between variables that are each valid. */
export function findContradictions(given: Given): ConfigFault[] {
  const faults: ConfigFault[] = [];
  if (given['STORE'] === 'file' && given['DATABASE_URL'])
    faults.push({
      variable: 'STORE',
      problem: '"file" uses no database, but DATABASE_URL is set; unset one of them',
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
  if (given['GUARDRAIL_SECRETS_INPUT'] === 'true' && given['GUARDRAIL_SECRETS'] === 'none')
    faults.push({
      variable: 'GUARDRAIL_SECRETS_INPUT',
      problem: 'GUARDRAIL_SECRETS=none leaves no secrets to redact: set that to all or own',
    });
  if (given['FILE_STORE'] === 's3' && !given['S3_BUCKET'])
    faults.push({ variable: 'FILE_STORE', problem: '"s3" needs a bucket: set S3_BUCKET' });
  const hasOthers = given['REDIS_URL'] && given['DATABASE_URL'];
  if (hasOthers && given['FILE_STORE'] !== 's3' && !given['FILES_DIR'])
    faults.push({
      variable: 'FILES_DIR',
      problem:
        'is needed with REDIS_URL: set it to one folder for all processes, or keep files in a bucket (FILE_STORE=s3)',
    });
  if (!given['S3_ACCESS_KEY_ID'] !== !given['S3_SECRET_ACCESS_KEY'])
    faults.push({
      variable: 'S3_ACCESS_KEY_ID',
      problem: 'and S3_SECRET_ACCESS_KEY are one credential: set both or none',
    });
  if (!given['WEBHOOK_URL'] !== !given['WEBHOOK_SECRET'])
    faults.push(
      given['WEBHOOK_URL']
        ? {
            variable: 'WEBHOOK_SECRET',
            problem: 'is needed with WEBHOOK_URL: receivers tell by it that a webhook is genuine',
          }
        : { variable: 'WEBHOOK_SECRET', problem: 'has no effect without WEBHOOK_URL: unset it' },
    );
  return [...faults, ...findUnreachableModels(given)];
}

/** Warns of webhooks that others can read on their way. */
export function findOpenWebhook({ WEBHOOK_URL }: Pick<Variables, 'WEBHOOK_URL'>): string[] {
  const { protocol, hostname } = new URL(WEBHOOK_URL?.reveal() ?? 'https://none');
  if (protocol === 'https:' || isLoopback(hostname)) return [];
  return [
    `WEBHOOK_URL is plain http to ${hostname}: what agents ask and answer can be read on the way. Use https`,
  ];
}

export function findOpenTurns({ MODEL_DEBUG_DIR }: Pick<Variables, 'MODEL_DEBUG_DIR'>): string[] {
  if (MODEL_DEBUG_DIR === undefined) return [];
  return [
    `MODEL_DEBUG_DIR is set: what people and models say is kept there in plain text, also that of deleted chats. Unset it after debugging`,
  ];
}

export function findForbiddenMode({
  APPROVAL_MODE: mode,
  ALLOWED_APPROVAL_MODES: allowed,
}: Pick<Variables, 'APPROVAL_MODE' | 'ALLOWED_APPROVAL_MODES'>): ConfigFault[] {
  if (mode === undefined || allowed.includes(mode)) return [];
  return [{ variable: 'APPROVAL_MODE', problem: 'is none of ALLOWED_APPROVAL_MODES' }];
}

function findUnreachableModels(given: Given): ConfigFault[] {
  const names = given['MODEL']?.split(',').map((name) => name.trim()) ?? [];
  return ['OPENAI', 'ANTHROPIC'].flatMap((vendor) => {
    const name = names.find((each) => each.startsWith(`${vendor.toLowerCase()}/`));
    if (!name || given[`${vendor}_API_KEY`] || given[`${vendor}_BASE_URL`]) return [];
    const problem = `"${name}" needs ${vendor}_API_KEY, or ${vendor}_BASE_URL for a server that takes no key`;
    return [{ variable: 'MODEL', problem }];
  });
}

/** Folders and files of the server in `DATA_DIR`. */
const OWN_FOLDERS = [
  ...['db', 'chats', 'files', 'file-rows', 'spill', 'python-snapshot', 'webhooks'],
  'deleted-usage',
];

/**
 * Tools can reach everything in the workspace. It must contain neither the server's data nor the
 * definitions of its agents, nor its configuration.
 */
export function findOverlaps({
  DATA_DIR,
  FILES_DIR,
  AGENTS_DIR,
  WORKSPACE_DIR,
  WORKSPACE_ROOTS,
  MCP_CONFIG,
  PERMISSIONS_FILE,
  REDACT_PATTERNS,
  SYSTEM_PROMPT_FILE,
}: Pick<
  Variables,
  | 'DATA_DIR'
  | 'FILES_DIR'
  | 'AGENTS_DIR'
  | 'WORKSPACE_DIR'
  | 'WORKSPACE_ROOTS'
  | 'MCP_CONFIG'
  | 'PERMISSIONS_FILE'
  | 'REDACT_PATTERNS'
  | 'SYSTEM_PROMPT_FILE'
>): ConfigFault[] {
  const shown = JSON.stringify(WORKSPACE_DIR);
  const problems: string[] = [];
  if (contains(WORKSPACE_DIR, DATA_DIR))
    problems.push(`${shown} may not be or contain DATA_DIR: put it beside DATA_DIR or inside it`);
  const [own = ''] = contains(DATA_DIR, WORKSPACE_DIR) ? pathIn(DATA_DIR, WORKSPACE_DIR) : [];
  if (OWN_FOLDERS.includes(own))
    problems.push(`${shown} is where the server keeps its own data; choose another name`);
  if (FILES_DIR !== undefined && overlap(WORKSPACE_DIR, FILES_DIR))
    problems.push(`${shown} and FILES_DIR may not contain one another`);
  if (overlap(WORKSPACE_DIR, AGENTS_DIR))
    problems.push(`${shown} and AGENTS_DIR may not contain one another`);
  for (const root of WORKSPACE_ROOTS.filter((path) => path.includes(TENANT))) {
    const common = commonPart(root);
    if (overlap(common, WORKSPACE_DIR))
      problems.push(`${shown} and "${common}" of WORKSPACE_ROOTS may not contain one another`);
  }
  const named = { MCP_CONFIG, PERMISSIONS_FILE, REDACT_PATTERNS, SYSTEM_PROMPT_FILE };
  for (const [name, path] of Object.entries(named))
    if (path !== undefined && contains(WORKSPACE_DIR, path))
      problems.push(`${shown} may not contain the file of ${name}: put that elsewhere`);
  return problems.map((problem) => ({ variable: 'WORKSPACE_DIR', problem }));
}

function overlap(one: string, other: string): boolean {
  return contains(one, other) || contains(other, one);
}

function contains(folder: string, path: string): boolean {
  return pathIn(folder, path)[0] !== '..';
}

function pathIn(folder: string, path: string): string[] {
  return relative(resolve(folder), resolve(path)).split(sep);
}

/** Shorter names are too close to variables of other programs. */
const MIN_LENGTH = 8;
const MAX_EDITS = 2;
/** Variables of other programs that resemble ours. */
const FOREIGN = ['HTTP_PROXY'];

/**
 * A warning for each given variable whose name is nearly one of ours: `LEASE_TTL`, `OPENAI_APIKEY`.
 * Of the file `.env` (`inFile`), which is ours, also for short and for all other unknown names.
 */
export function findUnknown(
  given: readonly string[],
  { known, inFile }: { known: readonly string[]; inFile: readonly string[] },
): string[] {
  const others: string[] = [];
  const misspelt = given
    .filter((name) => !known.includes(name) && !FOREIGN.includes(name))
    .flatMap((name) => {
      const isOurs = inFile.includes(name);
      const meant =
        known.find((candidate) => resembles(name, candidate)) ??
        (isOurs && (findNearest(name, known) ?? findLonger(name, known)));
      if (isOurs && !meant && !SECRET_NAME.test(name)) others.push(name);
      const where = isOurs ? ' in .env' : '';
      return meant ? [`Unknown variable ${name}${where}; did you mean ${meant}?`] : [];
    });
  if (others.length === 0) return misspelt;
  const unknown = `Unknown variables in .env: ${others.join(', ')}. Only MCP_CONFIG can refer to them.`;
  return [...misspelt, unknown];
}

/** `OPENAI_KEY`: has some words of `OPENAI_API_KEY`, the first and the last among them. */
function findLonger(name: string, known: readonly string[]): string | undefined {
  const words = name.toUpperCase().split('_');
  if (words.length < 2) return undefined;
  return known.find((candidate) => {
    const all = candidate.split('_');
    return (
      all[0] === words[0] &&
      all.at(-1) === words.at(-1) &&
      words.every((word) => all.includes(word))
    );
  });
}

function findNearest(name: string, known: readonly string[]): string | undefined {
  const distances = known.map((candidate) => editDistance(name.toUpperCase(), candidate));
  const least = Math.min(...distances);
  return least <= MAX_EDITS && least < name.length / 2 + 1
    ? known[distances.indexOf(least)]
    : undefined;
}

function resembles(name: string, known: string): boolean {
  if (squeeze(name) === squeeze(known) || `${name}_MS` === known) return true;
  if (known.length < MIN_LENGTH || Math.abs(name.length - known.length) > MAX_EDITS) return false;
  return editDistance(name, known) <= MAX_EDITS;
}

function squeeze(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
