const HIDDEN = '[key]';

/** Takes a secret out of texts that others wrote. */
export class Scrubber {
  private readonly forms: readonly string[];

  constructor(secret: string | undefined) {
    this.forms = secret
      ? [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])]
      : [];
  }

  readonly scrub = (text: string): string =>
    this.forms.reduce((scrubbed, form) => scrubbed.replaceAll(form, HIDDEN), text);

  /** An error that tells what `error` told, without the secret, and without what hangs on it (headers, bodies). */
  cause(error: unknown): Error {
    if (!(error instanceof Error)) return new Error(this.scrub(String(error)));
    const clean = new Error(this.scrub(error.message));
    clean.name = error.name;
    clean.stack = this.scrub(error.stack ?? '');
    const { code } = error as NodeJS.ErrnoException;
    if (error.cause !== undefined && error.cause !== error) clean.cause = this.cause(error.cause);
    return Object.assign(clean, typeof code === 'string' && { code: this.scrub(code) });
  }
}
