"""What every program finds: the functions that reach the server, and the driver that runs the program's text."""

import ast, asyncio, base64, bisect, builtins, collections, contextlib, copy, csv, dataclasses, datetime, decimal, enum, fractions
import functools, gc, hashlib, heapq, io, itertools, json, linecache, math, operator, os, random, re, selectors, statistics, string
import sys, textwrap, time, traceback, types, typing, uuid, zoneinfo

PROGRAM = "<python>"
OURS = "<parley>"
# Of the representation of the last value, and of an argument's.
MAX_TEXT = 1_000_000

_wire = None


class ToolError(Exception):
    """What the program asked the server for did not come about; the message says why."""


class Agent:
    """A child agent that was started; wait(agent) answers its result."""

    def __init__(self, id, type):
        self.id = id
        self.type = type

    def __repr__(self):
        return f"Agent(id={self.id!r}, type={self.type!r})"


def fork(prompt, agent_type=None):
    """Start a child agent. It works beside the program; wait(agent) answers its result."""
    answer = _ask_server("fork", prompt=prompt, agent_type=agent_type)
    return Agent(answer["id"], answer["type"])


def wait(agent):
    """Wait for a child agent; answers its result, a string."""
    return _ask_server("wait", id=agent.id if isinstance(agent, Agent) else agent)["text"]


def ask(question, options=None):
    """Ask the user; answers a string, or None when the user declined."""
    return _ask_server("ask", question=question, options=None if options is None else list(options))["text"]


def tool(name, /, **arguments):
    """Call a tool of the server; answers its output, a string. It needs the same permission as a call of the agent."""
    return _ask_server("tool", name=name, arguments=arguments)["text"]


def _ask_server(op, **arguments):
    answer = _exchange({"op": op, **arguments})
    if "error" in answer:
        raise ToolError(answer["error"])
    return answer


def _exchange(request):
    data = memoryview((json.dumps(request) + "\n").encode())
    while data:
        data = data[os.write(_wire, data) :]
    return _receive()


def _receive():
    parts = []
    while True:
        part = os.read(_wire, 65536)
        parts.append(part)
        if not part or part.endswith(b"\n"):
            return json.loads(b"".join(parts))


def _sleep(seconds):
    seconds = float(seconds)
    if not seconds >= 0:
        raise ValueError("sleep length must be non-negative")
    _exchange({"op": "sleep", "seconds": seconds})


class _Timers(selectors.BaseSelector):
    """There is nothing to listen to, only time that passes."""

    def register(self, fileobj, events, data=None):
        raise OSError("there is nothing to listen to")

    def unregister(self, fileobj):
        raise KeyError(fileobj)

    def get_map(self):
        return {}

    def select(self, timeout=None):
        if timeout is None:
            raise RuntimeError("nothing is left to wait for")
        if timeout > 0:
            _sleep(timeout)
        return []


class _Loop(asyncio.base_events.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = _Timers()

    def _process_events(self, event_list):
        pass

    def _write_to_self(self):
        pass


class _LoopPolicy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = _Loop


asyncio.run = asyncio.runners.run
asyncio.events._set_event_loop_policy(_LoopPolicy())
time.sleep = _sleep
# There is no clock of the processor's.
time.process_time, time.process_time_ns = time.perf_counter, time.perf_counter_ns
sys.excepthook = sys.__excepthook__

# Of the interpreter's other life, in JavaScript, and what would reach below Python.
HIDDEN = ["js", "pyodide_js", "pyodide", "_pyodide", "_pyodide_core", "_pyodide_js", "ctypes", "_ctypes", "micropip"]
_kept = []


def seal():
    """Forgets the ways to JavaScript. What still refers to them is kept, so that it never has to be cleared away."""
    asyncio._set_running_loop(None)
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__module__ == "builtins" or not _is_foreign(finder)]
    for name in list(sys.modules):
        if name.split(".")[0] in HIDDEN:
            _kept.append(sys.modules.pop(name))
    for name in HIDDEN:
        sys.modules[name] = None
    _kept.extend(each for each in gc.get_objects() if type(each).__module__ in ("pyodide.ffi", "_pyodide._core_docs"))
    gc.collect()
    gc.freeze()


def _is_foreign(finder):
    owner = finder if isinstance(finder, type) else type(finder)
    return owner.__module__.split(".")[0] in HIDDEN


def main():
    global _wire
    _wire = os.open("/dev/parley", os.O_RDWR)
    _open_streams()
    program = _receive()
    random.seed(os.urandom(32))
    uuid._node = uuid._random_getnode() if hasattr(uuid, "_random_getnode") else 1
    _exchange({"op": "end", **_run(program["code"])})


def _open_streams():
    os.chdir("/home")
    output = os.open("/dev/output", os.O_RDWR)
    for number in (1, 2):
        os.dup2(output, number)
    source = os.open("/dev/null", os.O_RDONLY)
    os.dup2(source, 0)
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.__stdout__ = _writer(1)
    sys.stderr = sys.__stderr__ = _writer(2)


def _writer(number):
    raw = io.FileIO(number, "w", closefd=False)
    return io.TextIOWrapper(raw, "utf-8", "backslashreplace", write_through=True)


def _run(code):
    module = types.ModuleType("__main__")
    names = module.__dict__
    names.update(fork=fork, wait=wait, ask=ask, tool=tool, ToolError=ToolError, Agent=Agent)
    sys.modules["__main__"] = module
    linecache.cache[PROGRAM] = (len(code), None, code.splitlines(True), PROGRAM)
    try:
        value = _evaluate(code, names)
        shown = None if value is None else repr(value)[:MAX_TEXT]
        return {"value": shown, "failed": False}
    except SystemExit as exit:
        return _left(exit.code)
    except BaseException as error:
        _show(error)
        return {"value": None, "failed": True}
    finally:
        _flush()


def _evaluate(code, names):
    tree = compile(code, PROGRAM, "exec", ast.PyCF_ONLY_AST)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, PROGRAM, "exec"), names)
    if last is not None:
        return eval(compile(ast.Expression(last.value), PROGRAM, "eval"), names)


def _left(code):
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
    return {"value": None, "failed": code not in (None, 0)}


def _show(error):
    try:
        told = traceback.TracebackException.from_exception(error, compact=True)
        _forget_ours(told, set())
        text = "".join(told.format())
    except BaseException:
        text = f"{type(error).__name__}\n"
    try:
        sys.stderr.write(text)
    except BaseException:
        os.write(2, text.encode("utf-8", "backslashreplace"))


def _forget_ours(told, seen):
    if told is None or id(told) in seen:
        return
    seen.add(id(told))
    told.stack[:] = [frame for frame in told.stack if frame.filename != OURS]
    _forget_ours(told.__cause__, seen)
    _forget_ours(told.__context__, seen)
    for each in told.exceptions or ():
        _forget_ours(each, seen)


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass
