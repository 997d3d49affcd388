import { escapeGlob } from '../../matching/glob.js';
import { canonicalJson } from '../../kernel/json/json.js';
import { findPathInputs } from '../matching/path-inputs.js';
import { toWorkspacePath } from '../matching/workspace-path.js';
import type { PermissionCall } from '../matching/permission-call.js';
import { quoteWord } from '../shell/words.js';
import type { CommandPart, Script } from '../shell/script.js';
import type { Matcher } from '../../protocol/wire/rule.js';

/** Maximum length of the input as JSON, in characters. */
const MAX_INPUT = 20_000;
const MAX_PREFIX = 1000;
const MAX_PREFIXES = 100;

/**
 * Matchers that cover a call, the best one to remember first. Commands: exactly these, word by
 * word, in any order and number. Tools that name one file: that file, for any operation of this
 * tool. Other calls: exactly this input.
 */
export function suggestMatchers(call: PermissionCall, script: Script | undefined): Matcher[] {
  const commands = script && suggestCommands(script);
  const path = script ? undefined : suggestPath(call);
  const { tool_name, tool_input } = call;
  const pattern = escapeGlob(tool_name);
  const exact: Matcher[] =
    canonicalJson(tool_input).length <= MAX_INPUT
      ? [{ type: 'tool', pattern, input: tool_input }]
      : [];
  return [...(commands ?? []), ...(path ?? []), ...exact];
}

function suggestCommands({ parts }: Script): Matcher[] {
  const real = parts.filter((part): part is CommandPart => part.kind === 'command' && !part.shadow);
  const prefixes = real.map(({ words }) => words.map(({ text }) => quoteWord(text)).join(' '));
  const fits = prefixes.every((prefix) => prefix !== '' && prefix.length <= MAX_PREFIX);
  const unique = [...new Set(prefixes)];
  if (!fits || unique.length === 0 || unique.length > MAX_PREFIXES) return [];
  return [{ type: 'command_prefix', prefixes: unique, exact: true }];
}

function suggestPath({ tool_name, tool_input }: PermissionCall): Matcher[] {
  const [path, ...others] = findPathInputs(tool_input);
  if (path === undefined || others.length > 0) return [];
  const { text, leaves } = toWorkspacePath(path);
  if (leaves) return [];
  return [{ type: 'path', pattern: escapeGlob(text), tool: escapeGlob(tool_name) }];
}
