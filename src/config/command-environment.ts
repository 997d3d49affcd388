/** What a command that a tool runs may know of the server's environment: where programs are, the language and the time zone. No secrets. */
const ALLOWED = ['PATH', 'LANG', 'LANGUAGE', 'TZ'];
const ALLOWED_PREFIX = 'LC_';
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The variables for commands; they have no terminal, and nobody to answer. */
export function pickCommandEnvironment(
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const picked = Object.entries(given).filter(
    ([name]) => ALLOWED.includes(name) || name.startsWith(ALLOWED_PREFIX),
  );
  return Object.freeze({
    PATH: DEFAULT_PATH,
    ...Object.fromEntries(picked),
    ...{ TERM: 'dumb', NO_COLOR: '1', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' },
  });
}
