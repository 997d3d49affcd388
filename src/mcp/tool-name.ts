import { createHash } from 'node:crypto';

/** Maximum length that every vendor accepts. */
const MAX_NAME = 64;

/** The prefix of the names of a server's tools. */
export function toolPrefix(server: string): string {
  return `mcp__${clean(server)}__`;
}

/**
 * `mcp__<server>__<tool>`. A name that is too long or has other characters is made unique by a few
 * characters of its hash.
 */
export function toolName(server: string, tool: string): string {
  const name = toolPrefix(server) + clean(tool);
  if (name.length <= MAX_NAME && clean(tool) === tool) return name;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_NAME - hash.length - 1)}_${hash}`;
}

function clean(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}
