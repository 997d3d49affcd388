// Evaluated inside the realm: the files and devices of the interpreter.
(() => {
  const NO_SPACE = 51;

  function capacity(node) {
    return node.contents?.length ?? 0;
  }

  /**
   * Limits the bytes of the files: they are in memory that the interpreter's own limit does not
   * count. The bytes of deleted files stay counted.
   */
  function boundFiles({ FS, MEMFS }, limit) {
    let used = 0;
    const counted = (node, size, work) => {
      const before = capacity(node);
      if (used + Math.max(0, size - before) > limit) throw new FS.ErrnoError(NO_SPACE);
      const answer = work();
      used += capacity(node) - before;
      return answer;
    };
    const { stream } = MEMFS.ops_table.file;
    const { write } = stream;
    stream.write = (opened, buffer, offset, length, position, canOwn) =>
      counted(opened.node, position + length, () =>
        write(opened, buffer, offset, length, position, canOwn),
      );
    const { resizeFileStorage } = MEMFS;
    MEMFS.resizeFileStorage = (node, size) =>
      counted(node, size, () => resizeFileStorage(node, size));
  }

  function addDevice({ FS }, path, minor, operations) {
    const device = FS.makedev(64, minor);
    FS.registerDevice(device, { llseek: () => 0, ...operations });
    if (FS.analyzePath(path).exists) FS.unlink(path);
    FS.mkdev(path, 0o666, device);
  }

  /** Maximum size of a request, in bytes; a larger one is an error. */
  const MAX_REQUEST = 4_000_000;
  const TOO_BIG = 27;

  /** `/dev/parley`: the program writes one line of JSON, and then reads the answer as one line. */
  function wire({ FS }, { exchange, first }) {
    const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
    let asked = [];
    let size = 0;
    let answer = encoder.encode(`${first}\n`);
    const ask = () => {
      const bytes = new Uint8Array(size);
      let at = 0;
      for (const part of asked) {
        bytes.set(part, at);
        at += part.length;
      }
      [asked, size] = [[], 0];
      answer = encoder.encode(`${exchange(decoder.decode(bytes))}\n`);
    };
    return {
      write(_stream, buffer, offset, length) {
        if (size + length > MAX_REQUEST) throw new FS.ErrnoError(TOO_BIG);
        const part = Uint8Array.from(buffer.subarray(offset, offset + length));
        asked.push(part);
        size += length;
        if (part[length - 1] === 10) ask();
        return length;
      },
      read(_stream, buffer, offset, length) {
        const count = Math.min(length, answer.length);
        buffer.set(answer.subarray(0, count), offset);
        answer = answer.subarray(count);
        return count;
      },
    };
  }

  /** A device that ignores writes and calls `read` to fill a buffer. */
  function source(read) {
    return {
      read(_stream, buffer, offset, length) {
        read(buffer.subarray(offset, offset + length));
        return length;
      },
      write: (_stream, _buffer, _offset, length) => length,
    };
  }

  function sink(write) {
    return {
      read: () => 0,
      write(_stream, buffer, offset, length) {
        write(Uint8Array.from(buffer.subarray(offset, offset + length)));
        return length;
      },
    };
  }

  function addDevices(emscripten, { host, time, exchange, first }) {
    addDevice(emscripten, '/dev/parley', 0, wire(emscripten, { exchange, first }));
    addDevice(emscripten, '/dev/output', 1, sink(host.write));
    addDevice(emscripten, '/dev/random', 2, source(time.randomize));
    addDevice(emscripten, '/dev/urandom', 3, source(time.randomize));
  }

  return { boundFiles, addDevices };
})();
