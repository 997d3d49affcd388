// Evaluated inside the realm: deterministic versions of the functions that the language leaves to
// the host.
(() => {
  /** Milliseconds by which each reading advances the clock. */
  const TICK_MS = 0.001;
  let now = Date.UTC(2000, 0, 1);
  const read = () => (now += TICK_MS);

  const NativeDate = Date;
  globalThis.Date = class Date extends NativeDate {
    constructor(...args) {
      super(...(args.length === 0 ? [read()] : args));
    }
    static now() {
      return read();
    }
  };
  globalThis.performance = { now: read };

  /** sfc32: a small and fast generator, sufficient for random numbers that are not secret. */
  let state = [1, 2, 3, 4];
  const next = () => {
    let [a, b, c, d] = state;
    const sum = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    state = [a, b, c, d];
    return sum >>> 0;
  };
  Math.random = () => next() / 2 ** 32;

  // The shell functions that Pyodide needs to start.
  globalThis.setTimeout = () => 0;
  globalThis.clearTimeout = () => {};
  globalThis.console = { log() {}, warn() {}, error() {} };
  globalThis.read = () => '';
  globalThis.load = () => {};
  globalThis.TextEncoder = class TextEncoder {
    encode(text) {
      return Uint8Array.from(unescape(encodeURIComponent(text)), (c) => c.charCodeAt(0));
    }
    encodeInto(text, target) {
      const bytes = this.encode(text);
      target.set(bytes);
      return { read: text.length, written: bytes.length };
    }
  };
  globalThis.TextDecoder = class TextDecoder {
    decode(bytes) {
      let text = '';
      for (const byte of bytes) text += String.fromCharCode(byte);
      return decodeURIComponent(escape(text));
    }
  };

  return {
    /** Never sets the clock back. */
    advanceTo: (ms) => {
      now = Math.max(now, ms);
    },
    advanceBy: (ms) => {
      now += ms;
    },
    /** Takes four 32-bit numbers. */
    seed: (numbers) => {
      state = [...numbers];
      for (let i = 0; i < 16; i++) next();
    },
    randomize: (bytes) => {
      for (let i = 0; i < bytes.length; i++) bytes[i] = next();
    },
  };
})();
