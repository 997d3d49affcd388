import { createHash } from 'node:crypto';

/** Maximum length that every vendor accepts. */
const MAX_NAME = 64;
const HASH_LENGTH = 8;

/** The prefix of the names of a server's tools. */
export function toolPrefix(server: string): string {
  return `mcp__${clean(server)}__`;
}

/**
 * `mcp__<server>__<tool>`. A name that is too long or has other characters is made unique by a few
 * characters of a hash: of the tool's name, and of the server's where that is cut too.
 */
export function toolName(server: string, tool: string): string {
  const prefix = toolPrefix(server);
  const name = prefix + clean(tool);
  if (name.length <= MAX_NAME && clean(tool) === tool) return name;
  const hashed = prefix.length > MAX_NAME - HASH_LENGTH - 1 ? `${server}\n${tool}` : tool;
  const hash = createHash('sha256').update(hashed).digest('hex').slice(0, HASH_LENGTH);
  return `${name.slice(0, MAX_NAME - HASH_LENGTH - 1)}_${hash}`;
}

function clean(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}
