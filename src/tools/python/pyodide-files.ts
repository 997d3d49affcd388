import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** All files that a worker needs to start an interpreter; the worker reads no file itself. */
export interface PyodideFiles {
  readonly sources: {
    readonly inside: Readonly<Record<string, string>>;
    readonly emscripten: string;
    readonly pyodide: string;
  };
  readonly wasm: WebAssembly.Module;
  readonly stdlib: Uint8Array;
  /** JSON lock file: the versions that belong together, without packages. */
  readonly lock: string;
}

const packageFolder = dirname(createRequire(import.meta.url).resolve('pyodide/package.json'));
const insideFolder = fileURLToPath(new URL('./sandbox/inside/', import.meta.url));

export async function readPyodideFiles(): Promise<PyodideFiles> {
  const [emscripten, pyodide, lock, wasm, stdlib, inside] = await Promise.all([
    readFile(join(packageFolder, 'pyodide.asm.mjs'), 'utf8'),
    readFile(join(packageFolder, 'pyodide.mjs'), 'utf8'),
    readFile(join(packageFolder, 'pyodide-lock.json'), 'utf8'),
    readFile(join(packageFolder, 'pyodide.asm.wasm')),
    readFile(join(packageFolder, 'python_stdlib.zip')),
    readInside(),
  ]);
  const { info } = JSON.parse(lock) as { info: unknown };
  return {
    sources: { inside, emscripten, pyodide },
    wasm: await WebAssembly.compile(wasm),
    stdlib,
    lock: JSON.stringify({ info, packages: {} }),
  };
}

async function readInside(): Promise<Record<string, string>> {
  const names = ['realm.js', 'gate.js', 'files.js', 'interpreter.js', 'prelude.py'];
  const entries = names.map(async (name) => {
    const text = await readFile(join(insideFolder, name), 'utf8');
    return [name.replace(/\.\w+$/, ''), text] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
