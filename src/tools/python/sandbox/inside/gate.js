// Evaluated inside the realm: the allowlist of imports that the WebAssembly code may call while a
// program runs. Each other call ends the program.
(() => {
  /** Files in memory, the clock, the environment, and the growth of its own memory. */
  const OPEN = new Set(
    [
      '_abort_js __assert_fail __syscall_chdir __syscall_chmod __syscall_dup __syscall_dup3 __syscall_faccessat',
      '__syscall_fadvise64 __syscall_fallocate __syscall_fchdir __syscall_fchmod __syscall_fchmodat2 __syscall_fchown32',
      '__syscall_fchownat __syscall_fcntl64 __syscall_fdatasync __syscall_fstat64 __syscall_fstatfs64 __syscall_ftruncate64',
      '__syscall_getcwd __syscall_getdents64 __syscall_getuid32_js __syscall_ioctl __syscall_lstat64 __syscall_mkdirat',
      '__syscall_newfstatat __syscall_openat __syscall_poll __syscall_readlinkat __syscall_renameat __syscall_rmdir',
      '__syscall_stat64 __syscall_statfs64 __syscall_symlinkat __syscall_truncate64 __syscall_umask_js __syscall_unlinkat',
      '__syscall_utimensat _mmap_js _msync_js _munmap_js',
      'fd_close fd_fdstat_get fd_pread fd_pwrite fd_read fd_seek fd_sync fd_write',
      'clock_res_get clock_time_get emscripten_date_now emscripten_get_now',
      '_gmtime_js _localtime_js _mktime_js _timegm_js _tzset_js',
      'environ_get environ_sizes_get random_get _emscripten_get_progname',
      'emscripten_get_heap_max emscripten_resize_heap',
      'emscripten_runtime_keepalive_pop emscripten_runtime_keepalive_push _emscripten_runtime_keepalive_clear',
      '_Py_CheckEmscriptenSignals_Helper _Py_emscripten_runtime _PyEM_TrampolineCall_JS __call_sighandler',
      '_try_fcntl64 _maybe_poll_async',
    ].flatMap((names) => names.split(' ')),
  );

  const NOT_SUPPORTED = -52;
  const NO_NAME = -4;

  /**
   * Harmless calls to features that are absent: network, processes and libraries. They return an
   * error code.
   */
  const ABSENT = {
    __syscall_accept4: NOT_SUPPORTED,
    __syscall_bind: NOT_SUPPORTED,
    __syscall_connect: NOT_SUPPORTED,
    __syscall_getpeername: NOT_SUPPORTED,
    __syscall_getsockname: NOT_SUPPORTED,
    __syscall_getsockopt: NOT_SUPPORTED,
    __syscall_listen: NOT_SUPPORTED,
    __syscall_mknodat: NOT_SUPPORTED,
    __syscall_pipe: NOT_SUPPORTED,
    __syscall_recvfrom: NOT_SUPPORTED,
    __syscall_recvmsg: NOT_SUPPORTED,
    __syscall_sendmsg: NOT_SUPPORTED,
    __syscall_sendto: NOT_SUPPORTED,
    __syscall_socket: NOT_SUPPORTED,
    _setitimer_js: NOT_SUPPORTED,
    _emscripten_system: NOT_SUPPORTED,
    getaddrinfo: NO_NAME,
    getnameinfo: NO_NAME,
    getprotobyname: 0,
    _dlopen_js: 0,
    _dlsym_js: 0,
  };

  /**
   * Wraps the imports in place. Before `close` is called, all of them are allowed: the interpreter
   * needs them to start.
   */
  return (imports, { refuse, exit }) => {
    let isClosed = false;
    const guard = (name, original) => {
      if (OPEN.has(name)) return original;
      if (name === 'proc_exit' || name === 'exit')
        return (code) => (isClosed ? exit(code) : original(code));
      const absent = Object.hasOwn(ABSENT, name) ? ABSENT[name] : undefined;
      return (...args) => {
        if (!isClosed) return original(...args);
        return absent === undefined ? refuse(name) : absent;
      };
    };
    const guarded = {};
    for (const module of ['env', 'wasi_snapshot_preview1']) {
      guarded[module] = { ...imports[module] };
      for (const [name, original] of Object.entries(imports[module]))
        if (typeof original === 'function') guarded[module][name] = guard(name, original);
    }
    return {
      imports: { ...imports, ...guarded },
      close: () => {
        isClosed = true;
      },
    };
  };
})();
