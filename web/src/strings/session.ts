export const sessionText = {
  title: 'Sign in to Parley',
  hint: 'This server asks for an API key or a token. “npm run keys -- create” makes a key.',
  label: 'Key or token',
  keep: 'Keep me signed in on this browser',
  submit: 'Sign in',
  withIssuer: (host: string) => `Sign in with ${host}`,
  orPaste: 'or with a key or a token',
  outdated: 'The server is older than this page needs. Reload the page to get the one that fits.',
  wrong: 'The server does not know this key or token, or it has expired.',
};
