import { z } from 'zod';
import type { ConfigFault } from '../config/config-error.js';
import type { ServerSettings } from './server-settings.js';
import { toolPrefix } from './reading/tool-name.js';

const texts = z.record(z.string(), z.string());

/** Unknown fields are ignored: other clients may use them. */
const server = z.object({
  type: z
    .enum(['stdio', 'http', 'streamable-http', 'streamableHttp'], {
      error:
        'has to be stdio or http (servers that only speak the old SSE transport are not supported)',
    })
    .optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).default([]),
  env: texts.default({}),
  cwd: z.string().min(1).optional(),
  url: z.string().optional(),
  headers: texts.default({}),
  trust: z.boolean().default(false),
  disabled: z.boolean().default(false),
});

const file = z.object({ mcpServers: z.record(z.string().min(1).max(64), z.unknown()) });

type Report = (field: string, problem: string) => void;
type Expand = (field: string, text: string) => string;

export interface ParsedServers {
  readonly servers: readonly ServerSettings[];
  readonly faults: readonly ConfigFault[];
}

/**
 * Parses the `mcpServers` format that desktop clients use.
 * @param variable returns the value of `${NAME}`
 */
export function parseServers(
  text: string,
  { path, variable }: { path: string; variable: (name: string) => string | undefined },
): ParsedServers {
  const faults: ConfigFault[] = [];
  const report: Report = (field, problem) =>
    faults.push({ variable: field ? `${path} ${field}` : path, problem });
  const servers = [...readFile(text, report)].flatMap(([name, value]) => {
    const inServer: Report = (field, problem) =>
      report(`mcpServers.${name}${field && `.${field}`}`, problem);
    const expand: Expand = (field, value_) =>
      expandVariables(value_, variable, (missing) =>
        inServer(field, `refers to the variable ${missing}, which is not set`),
      );
    return readServer(name, value, { report: inServer, expand }) ?? [];
  });
  reportClashes(servers, report);
  return { servers, faults };
}

function readFile(text: string, report: Report): readonly [string, unknown][] {
  try {
    const parsed = file.safeParse(JSON.parse(text));
    if (parsed.success) return Object.entries(parsed.data.mcpServers);
    report('', 'has to be {"mcpServers": {"<name>": {…}}}');
  } catch (error) {
    report('', `is not JSON: ${(error as Error).message}`);
  }
  return [];
}

function readServer(
  name: string,
  value: unknown,
  { report, expand }: { report: Report; expand: Expand },
): ServerSettings | undefined {
  const parsed = server.safeParse(value);
  if (!parsed.success) {
    for (const { path, message } of parsed.error.issues) report(path.join('.'), message);
    return undefined;
  }
  const { type, command, args, env, cwd, url, headers, trust, disabled } = parsed.data;
  if (disabled) return undefined;
  if (type === undefined && command !== undefined && url !== undefined) {
    report('', 'has a "command" and a "url": remove one, or add "type": "stdio" or "http"');
    return undefined;
  }
  if ((type === undefined || type === 'stdio') && command !== undefined)
    return {
      kind: 'stdio',
      name,
      trust,
      command: expand('command', command),
      args: args.map((arg, i) => expand(`args.${i}`, arg)),
      env: expandAll(env, (key, text) => expand(`env.${key}`, text)),
      ...(cwd !== undefined && { cwd: expand('cwd', cwd) }),
    };
  if (type !== 'stdio' && url !== undefined) {
    const reachable = readUrl(expand('url', url), report);
    const sent = expandAll(headers, (key, text) => expand(`headers.${key}`, text));
    return reachable && { kind: 'http', name, trust, url: reachable, headers: sent };
  }
  report('', 'needs a "command" to run, or a "url" to reach');
  return undefined;
}

function expandAll(
  values: Readonly<Record<string, string>>,
  expand: Expand,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, text]) => [key, expand(key, text)]));
}

function readUrl(text: string, report: Report): URL | undefined {
  const url = URL.parse(text);
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  report('url', 'has to begin with http:// or https://');
  return undefined;
}

/**
 * Reports servers whose tools could have the names of another's: `a` with the tool `b__c`, and
 * `a__b` with the tool `c`.
 */
function reportClashes(servers: readonly ServerSettings[], report: Report): void {
  for (const [at, { name }] of servers.entries()) {
    const prefix = toolPrefix(name);
    const other = servers.slice(0, at).find((earlier) => {
      const taken = toolPrefix(earlier.name);
      return taken.startsWith(prefix) || prefix.startsWith(taken);
    });
    if (!other) continue;
    const problem = `its tools could have the names of those of "${other.name}"; rename one`;
    report(`mcpServers.${name}`, problem);
  }
}

// regex: of the operator's own file
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Substitutes `${NAME}` and `${NAME:-default}`.
 * @param missing is called with each name that has neither a value nor a default
 */
function expandVariables(
  text: string,
  variable: (name: string) => string | undefined,
  missing: (name: string) => void,
): string {
  return text.replaceAll(REFERENCE, (_, name: string, fallback: string | undefined) => {
    const value = variable(name) ?? fallback;
    if (value === undefined) missing(name);
    return value ?? '';
  });
}
