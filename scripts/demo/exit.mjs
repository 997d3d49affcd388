const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** How the demo is left before its end: by a signal, a key, or because nobody reads it any more. */
export class Exit {
  #controller = new AbortController();
  /** Aborted as soon as somebody leaves. */
  signal = this.#controller.signal;

  constructor() {
    for (const [name, code] of Object.entries(EXIT_CODES)) process.on(name, () => this.take(code));
    process.stdout.on('error', () => this.take(0));
  }

  /** The first one counts. */
  take(code) {
    if (!this.signal.aborted) process.exitCode = code;
    this.#controller.abort();
  }

  interrupt() {
    this.take(EXIT_CODES.SIGINT);
  }
}
