import { findSecrets } from '../../config/derived.js';
import { secretValues } from '../../config/secret-values.js';
import { cutText } from '../../kernel/text/cut-text.js';
import type { Cut } from '../../kernel/text/cut-text.js';
import type { ServerSettings } from '../server-settings.js';

const MAX_CAUSES = 5;
/**
 * Maximum length in characters: a server may answer anything, and the problem is shown to all
 * users.
 */
const MAX_LENGTH = 1_000;

/**
 * Describes a problem with a server, for people: the error and its causes, with the secrets of the
 * settings redacted.
 * @param cut cuts what is too long
 */
export function describeProblem(
  error: unknown,
  settings: ServerSettings,
  cut: Cut = cutText,
): string {
  const said = [...new Set(messagesOf(error))].join(': ') || 'no reason given';
  const shown = hideSecrets(said, settings);
  return shown.length > MAX_LENGTH ? `${cut(shown, MAX_LENGTH)}…` : shown;
}

export function hideSecrets(said: string, settings: ServerSettings): string {
  return secretsOf(settings).reduce((text, secret) => text.replaceAll(secret, '[hidden]'), said);
}

function messagesOf(error: unknown, depth = 0): unknown[] {
  const { message, code, cause } = Object(error) as Record<string, unknown>;
  const own = [message, code].filter((text) => typeof text === 'string' && text !== '').slice(0, 1);
  if (cause === undefined || depth === MAX_CAUSES) return own;
  return [...own, ...messagesOf(cause, depth + 1)];
}

/**
 * The secrets that a message may contain: `fetch` quotes an invalid header, and a URL with a
 * password; a program may print its environment.
 */
function secretsOf(settings: ServerSettings): string[] {
  if (settings.kind === 'stdio')
    return secretValues(findSecrets(settings.env, [])).map(({ value }) => value);
  const { url, headers } = settings;
  const userinfo = [url.username, url.password].filter(Boolean).join(':');
  return [userinfo, ...Object.values(headers).map((value) => value.trim())].filter(Boolean);
}
