const HIDDEN = '[key]';

/** Redacts a secret from external text. */
export class Scrubber {
  private readonly forms: readonly string[];

  constructor(secret: string | undefined) {
    this.forms = secret
      ? [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])]
      : [];
  }

  readonly scrub = (text: string): string =>
    this.forms.reduce((scrubbed, form) => scrubbed.replaceAll(form, HIDDEN), text);

  /** A copy of `error` with the secret redacted and without attached data (headers, bodies). */
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
