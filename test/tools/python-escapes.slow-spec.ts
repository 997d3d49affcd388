import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PythonTool } from '../../src/tools/python/python.tool.js';
import { PythonWorld } from './python-world.js';

/** Finds an object of JavaScript's, wherever one is left. */
const HUNT = `import gc, sys
def hunt():
    seen = set()
    todo = [sys.modules, *gc.get_objects()]
    while todo:
        each = todo.pop()
        if id(each) in seen: continue
        seen.add(id(each))
        if any(kind.__name__ == "JsProxy" for kind in type(each).__mro__): return each
        todo.extend(gc.get_referents(each))
`;
const CREATE = `import importlib.machinery, _imp
def create(name): return _imp.create_builtin(importlib.machinery.ModuleSpec(name, None))
`;
const NO_MODULE = /ModuleNotFoundError/;
const NO_NETWORK = /OSError|URLError|gaierror/;
const NO_PROCESS = /OSError|does not support processes/;
const REFUSED = /^\[The program was stopped: it called \w+, which is not available here/m;

describe(`${PythonTool.name}, when a program tries to get out`, () => {
  const world = new PythonWorld();
  let folder = '';
  let visits = 0;
  const server = createServer((_, response) => {
    visits++;
    response.end();
  });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'python-escapes-'));
    await writeFile(join(folder, 'secret'), 'host secret');
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
    server.close();
  });

  it.each([
    ['js', 'import js', NO_MODULE],
    ['process, by js', 'from js import process; process.exit()', NO_MODULE],
    ['pyodide_js', 'import pyodide_js', NO_MODULE],
    [
      'a mount, by pyodide_js',
      'import pyodide_js; pyodide_js.mountNodeFS("/host", "/")',
      NO_MODULE,
    ],
    ['run_js', 'from pyodide.code import run_js', NO_MODULE],
    ['pyodide.ffi', 'from pyodide.ffi import JsProxy', NO_MODULE],
    ['pyodide.http', 'import pyodide.http', NO_MODULE],
    ['_pyodide', 'import _pyodide._base', NO_MODULE],
    ['_pyodide_core', 'import _pyodide_core', NO_MODULE],
    ['micropip', 'import micropip', NO_MODULE],
    ['ctypes', 'import ctypes', NO_MODULE],
    [
      'a hidden module that is uncovered',
      'import sys; del sys.modules["js"]; import js',
      NO_MODULE,
    ],
    [
      'a finder of modules',
      'import sys; [f for f in sys.meta_path if "Js" in str(f)][0]',
      /IndexError/,
    ],
    ['JavaScript, by an object that is left', `${HUNT}hunt().constructor`, REFUSED],
    ['the text of an object that is left', `${HUNT}print(hunt())`, REFUSED],
    [
      'the core, made again',
      `${CREATE}create("_pyodide_core").run_js("1")`,
      /AttributeError|it called/,
    ],
    [
      'native calls',
      `${CREATE}import sys; sys.modules.update(ctypes=None); del sys.modules["ctypes"]; del sys.modules["_ctypes"]; import ctypes; ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.CDLL(None).getpid)()`,
      REFUSED,
    ],
    [
      'a library of its own',
      'import importlib.machinery as m; open("/tmp/x.so", "wb").write(b"\\0asm\\1\\0\\0\\0"); m.ExtensionFileLoader("x", "/tmp/x.so").create_module(m.ModuleSpec("x", None, origin="/tmp/x.so"))',
      /ImportError|it called/,
    ],
    ['a command', 'import os; print("status", os.system("echo hi"))', /^status -1\n?/],
    ['a pipe to a command', 'import os; os.popen("id").read()', NO_PROCESS],
    ['a process', 'import subprocess; subprocess.run(["id"])', NO_PROCESS],
    ['a fork', 'import os; os.fork()', NO_PROCESS],
    [
      'a thread',
      'import threading; threading.Thread(target=print).start()',
      /can't start new thread/,
    ],
    ['a socket', 'import socket; socket.create_connection(("127.0.0.1", 5432), 1)', NO_NETWORK],
    ['a socket that listens', 'import socket; socket.socket().bind(("", 0))', NO_NETWORK],
    ['the name of a host', 'import socket; socket.getaddrinfo("localhost", 80)', NO_NETWORK],
    [
      'its environment',
      'import os; sorted(os.environ)',
      /^\['HOME', 'LANG', 'LD_LIBRARY_PATH', 'LOGNAME', 'PATH', 'PWD', 'PYTHONHASHSEED', 'PYTHONINSPECT', 'TZ', 'USER', '_'\]$/,
    ],
    ['its root', 'import os; sorted(os.listdir("/"))', /^\['dev', 'home', 'lib', 'proc', 'tmp'\]$/],
    ['/etc/passwd', 'open("/etc/passwd")', /FileNotFoundError/],
    ['/proc', 'open("/proc/self/environ")', /FileNotFoundError/],
    [
      'devices',
      'import os; sorted(os.listdir("/dev"))',
      /^\['null', 'output', 'parley', 'random', 'shm', 'stderr', 'stdin', 'stdout', 'tty', 'tty1', 'urandom'\]$/,
    ],
    [
      'a device of its own',
      'import os, stat; os.mknod("/tmp/x", 0o666 | stat.S_IFCHR, os.makedev(64, 0))',
      /AttributeError/,
    ],
    ['input', 'input()', /EOFError/],
    ['the terminal', 'open("/dev/tty").read()', /^''$|OSError/],
  ])('gives no way to %s', async (_, code, output) => {
    const { text } = await world.run(code);
    expect(text).toMatch(output);
  });

  it('reads no file of the host', async () => {
    const { text } = await world.run(`open(${JSON.stringify(join(folder, 'secret'))}).read()`);
    expect(text).toContain('FileNotFoundError');
  });

  it('reaches no server on the host', async () => {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    const { text } = await world.run(`import urllib.request; urllib.request.urlopen("${url}")`);
    expect(text).toMatch(NO_NETWORK);
    expect(visits).toBe(0);
  });

  it('leaves nothing to the next program', async () => {
    await world.run(
      'import builtins, json; builtins.x = json.x = 1; open("/tmp/x", "w").write("x")',
    );
    const { text } = await world.run(
      'import builtins, json, os; [hasattr(builtins, "x"), hasattr(json, "x"), os.path.exists("/tmp/x")]',
    );
    expect(text).toBe('[False, False, False]');
  });
});
