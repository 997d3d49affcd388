// Evaluated inside the realm: what the language leaves to the host, made to come out the same on every run.
(() => {
  /** Milliseconds that each reading of the clock takes. */
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

  /** sfc32: small, fast, and good enough for numbers that are no secret. */
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

  // What Pyodide needs of a shell to start in.
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
    /** Never back. */
    advanceTo: (ms) => {
      now = Math.max(now, ms);
    },
    advanceBy: (ms) => {
      now += ms;
    },
    /** Four 32-bit numbers. */
    seed: (numbers) => {
      state = [...numbers];
      for (let i = 0; i < 16; i++) next();
    },
    randomize: (bytes) => {
      for (let i = 0; i < bytes.length; i++) bytes[i] = next();
    },
  };
})();
