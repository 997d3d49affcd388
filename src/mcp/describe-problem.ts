import type { ServerSettings } from './server-settings.js';

const MAX_CAUSES = 5;
/** Characters: a server may answer anything, and everybody is told. */
const MAX_LENGTH = 1_000;

/** What is wrong with a server, for people: the error and what caused it, without what is secret in its settings. */
export function describeProblem(error: unknown, settings: ServerSettings): string {
  const said = [...new Set(messagesOf(error))].join(': ') || 'no reason given';
  const shown = secretsOf(settings).reduce(
    (text, secret) => text.replaceAll(secret, '[hidden]'),
    said,
  );
  return shown.length > MAX_LENGTH ? `${shown.slice(0, MAX_LENGTH).toWellFormed()}…` : shown;
}

function messagesOf(error: unknown, depth = 0): unknown[] {
  const { message, code, cause } = Object(error) as Record<string, unknown>;
  const own = [message, code].filter((text) => typeof text === 'string' && text !== '').slice(0, 1);
  if (cause === undefined || depth === MAX_CAUSES) return own;
  return [...own, ...messagesOf(cause, depth + 1)];
}

/** `fetch` quotes a header that it can't send, and a URL that holds a password. */
function secretsOf(settings: ServerSettings): string[] {
  if (settings.kind !== 'http') return [];
  const { url, headers } = settings;
  const userinfo = [url.username, url.password].filter(Boolean).join(':');
  return [userinfo, ...Object.values(headers).map((value) => value.trim())].filter(Boolean);
}
