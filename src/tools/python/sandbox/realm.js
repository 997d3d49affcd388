import vm from 'node:vm';

/**
 * A JavaScript world without Node, without network, and without a way to make code from text. Answers what evaluates a text in it.
 */
export function openContext() {
  const context = vm.createContext(Object.create(null), {
    name: 'python',
    codeGeneration: { strings: false, wasm: true },
  });
  return (text, filename) => new vm.Script(text, { filename }).runInContext(context);
}

/** The world that the interpreter lives in. What it can call outside of it are the functions of `host`, which take and answer text, numbers and bytes. */
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
 * Takes all that reaches the host out of the world that this worker's own code lives in: it is where a function of `host` comes from,
 * should anybody get hold of one.
 */
export function closeRealm(world) {
  const kinds = [() => {}, async () => {}, function* () {}, async function* () {}];
  for (const kind of kinds) {
    const { prototype } = Object.getPrototypeOf(kind).constructor;
    Object.defineProperty(prototype, 'constructor', { value: undefined });
  }
  for (const name of Object.getOwnPropertyNames(world))
    if (!KEPT.has(name)) Reflect.deleteProperty(world, name);
}

/** Of the language, and harmless. */
const KEPT = new Set(
  ['globalThis', 'undefined', 'NaN', 'Infinity', 'Object', 'Array', 'String', 'Number', 'Boolean']
    .concat(['Error', 'TypeError', 'RangeError', 'Math', 'JSON', 'Promise', 'Map', 'Set', 'Symbol'])
    .concat(['Atomics', 'Int32Array', 'Uint8Array', 'Reflect']),
);

/** A module's text as an expression whose value is what it calls `name`. */
function asScript(text, name) {
  const body = text
    .replaceAll('import.meta.url', '"file:///"')
    .replace(/\bexport\s*(default\s+\w+|\{[^{}]*\});?/g, '')
    .replace(/^\/\/# sourceMappingURL.*$/m, '');
  return `(() => {${body}\nreturn ${name};})()`;
}

function exportedAs(text, name) {
  const found = new RegExp(`\\bexport\\{.*?(\\w+) as ${name}\\b`).exec(text);
  if (!found) throw new Error(`the module does not export ${name}`);
  return found[1];
}
