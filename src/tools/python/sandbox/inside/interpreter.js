// Evaluated inside the realm: starts the interpreter, closes the access that only the start needs,
// and runs one program.
(() => {
  const MAX_SLEEP_S = 1_000_000;
  const PAGE = 65_536;

  /** Limits the memory; a program that exceeds the limit gets a MemoryError. */
  function boundMemory(memory, bytes) {
    const { prototype } = WebAssembly.Memory;
    memory.grow = (pages) => {
      if (memory.buffer.byteLength + pages * PAGE > bytes) throw new RangeError('memory limit');
      return prototype.grow.call(memory, pages);
    };
  }

  /** The imports that Pyodide's loader adds, and deterministic random numbers. */
  function ownImports({ time, memory }) {
    const marker = Symbol('error');
    return {
      Jsv_GetError_import: () => marker,
      JsvError_Check: (value) => (value === marker ? 1 : 0),
      random_get: (at, size) => {
        const bytes = new Uint8Array(memory().buffer, at >>> 0, size >>> 0);
        time.randomize(bytes);
        return 0;
      },
    };
  }

  /** `source` has to be ASCII. */
  function execute(emscripten, source) {
    const at = emscripten._malloc(source.length + 1);
    for (let i = 0; i < source.length; i++) emscripten.HEAPU8[at + i] = source.charCodeAt(i);
    emscripten.HEAPU8[at + source.length] = 0;
    const failed = emscripten._PyRun_SimpleString(at);
    emscripten._free(at);
    if (failed !== 0) throw new Error('the interpreter could not run its own code');
  }

  function asModule(source) {
    return `import sys, types
module = types.ModuleType("_parley")
sys.modules["_parley"] = module
exec(compile(${JSON.stringify(source)}, "<parley>", "exec"), module.__dict__)
del module`;
  }

  /**
   * Answers a sleep locally; sends all other requests to the server, whose answer contains the
   * current time.
   */
  function answering(host, time) {
    return (text) => {
      const { op, seconds } = JSON.parse(text);
      if (op !== 'sleep') {
        const { now, ...answer } = JSON.parse(host.exchange(text));
        if (typeof now === 'number') time.advanceTo(now);
        return JSON.stringify(answer).replace(/[\u007f-\uffff]/g, escapeUnit);
      }
      const ms = Math.min(Math.max(Number(seconds) || 0, 0), MAX_SLEEP_S) * 1000;
      host.sleep(ms);
      time.advanceBy(ms);
      return '{}';
    };
  }

  function escapeUnit(unit) {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  }

  return ({ guardImports, boundFiles, addDevices, prelude }) =>
    async (host, { time, createModule, loadPyodide, wasm, stdlib, lock, snapshot, limits }) => {
      // Replaces the prototype of the module's original realm by that of this realm.
      Object.setPrototypeOf(wasm, WebAssembly.Module.prototype);
      let gate;
      let memory;
      const instantiateWasm = (imports, receive) => {
        const own = ownImports({ time, memory: () => memory });
        const { env, wasi_snapshot_preview1: wasi } = imports;
        const all = { env: { ...env, ...own }, wasi_snapshot_preview1: { ...wasi, ...own } };
        gate = guardImports({ ...imports, ...all }, host);
        const instance = new WebAssembly.Instance(wasm, gate.imports);
        memory = instance.exports.memory;
        boundMemory(memory, limits.memory_bytes);
        receive(instance, wasm);
        return {};
      };

      globalThis.readbuffer = () => stdlib;
      const pyodide = await loadPyodide({
        indexURL: '/pyodide/',
        lockFileContents: lock,
        jsglobals: Object.create(null),
        env: { PYTHONHASHSEED: '0', HOME: '/home', LANG: 'C.UTF-8', TZ: 'UTC' },
        createPyodideModule: (settings) => createModule({ ...settings, instantiateWasm }),
        ...(snapshot ? { _loadSnapshot: Uint8Array.from(snapshot) } : { _makeSnapshot: true }),
      });
      delete globalThis.readbuffer;
      delete pyodide._api.config._loadSnapshot;
      const emscripten = pyodide._module;

      if (!snapshot) {
        execute(emscripten, asModule(prelude));
        return { takeSnapshot: () => pyodide.makeMemorySnapshot() };
      }
      boundFiles(emscripten, limits.file_bytes);
      execute(emscripten, 'import _parley; _parley.seal()');
      gate.close();
      delete globalThis.WebAssembly;
      return {
        run: ({ text, seed, now }) => {
          time.seed(seed);
          time.advanceTo(now);
          const exchange = answering(host, time);
          addDevices(emscripten, { host, time, exchange, first: text });
          execute(emscripten, 'import _parley; _parley.main()');
        },
      };
    };
})();
