import vm from 'node:vm';

/**
 * Creates a JavaScript context without Node, network, or code generation from strings. Returns a
 * function that evaluates a text in it.
 */
export function openContext() {
  const context = vm.createContext(Object.create(null), {
    name: 'python',
    codeGeneration: { strings: false, wasm: true },
  });
  return (text, filename) => new vm.Script(text, { filename }).runInContext(context);
}

/**
 * The realm of the interpreter. It can call only the functions of `host` outside of it; they take
 * and return text, numbers and bytes.
 */
export function createRealm({ inside, emscripten, pyodide }) {
  const evaluate = openContext();
  const time = evaluate(inside.realm, 'realm');
  const parts = { guardImports: evaluate(inside.gate, 'gate'), ...evaluate(inside.files, 'files') };
  const makeLoader = evaluate(inside.interpreter, 'interpreter');
  const load = makeLoader({ ...parts, prelude: inside.prelude });
  const createModule = evaluate(asScript(emscripten, '_createPyodideModule'), 'emscripten');
  const loadPyodide = evaluate(asScript(pyodide, exportedAs(pyodide, 'loadPyodide')), 'pyodide');
  return { load: (host, data) => load(host, { ...data, time, createModule, loadPyodide }) };
}

/**
 * Removes all access to the host from the realm of this worker's own code. Defence in depth: the
 * functions of `host` come from that realm, and a program might get hold of one.
 */
export function closeRealm(world) {
  const kinds = [() => {}, async () => {}, function* () {}, async function* () {}];
  for (const kind of kinds) {
    const { prototype } = Object.getPrototypeOf(kind).constructor;
    Object.defineProperty(prototype, 'constructor', { value: undefined });
  }
  for (const name of Object.getOwnPropertyNames(world))
    if (!ALLOWED_GLOBALS.has(name)) Reflect.deleteProperty(world, name);
}

/** Harmless globals of the language. */
const ALLOWED_GLOBALS = new Set(
  ['globalThis', 'undefined', 'NaN', 'Infinity', 'Object', 'Array', 'String', 'Number', 'Boolean']
    .concat(['Error', 'TypeError', 'RangeError', 'Math', 'JSON', 'Promise', 'Map', 'Set', 'Symbol'])
    .concat(['Atomics', 'Int32Array', 'Uint8Array', 'Reflect']),
);

/** Converts a module's text to an expression; its value is the module's binding `name`. */
function asScript(text, name) {
  // regex: of our own packages
  const body = text
    .replaceAll('import.meta.url', '"file:///"')
    .replace(/\bexport\s*(default\s+\w+|\{[^{}]*\});?/g, '')
    .replace(/^\/\/# sourceMappingURL.*$/m, '');
  return `(() => {${body}\nreturn ${name};})()`;
}

function exportedAs(text, name) {
  // regex: of our own packages
  const found = new RegExp(`\\bexport\\{.*?(\\w+) as ${name}\\b`).exec(text);
  if (!found) throw new Error(`the module does not export ${name}`);
  return found[1];
}
