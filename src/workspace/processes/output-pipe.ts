import { execFile } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

const CHUNK_BYTES = 64 * 1024;
/**
 * Maximum bytes per time window. A process that prints more has to wait for the next window, so
 * that it doesn't keep the server busy (back-pressure).
 */
const WINDOW_BYTES = 4 * 1024 * 1024;
const WINDOW_MS = 100;

/**
 * Pipe for standard output and standard error together, so that both stay in the order in which
 * they were written. It is a real pipe, unlike those of `spawn`: the process can open
 * `/dev/stdout`.
 */
export class OutputPipe {
  private readonly socket: Socket;
  private readonly closed: Promise<unknown>;
  private inWindow = 0;

  private constructor(
    reader: number,
    private readonly writer: FileHandle,
    private readonly onChunk: (chunk: Buffer) => void,
  ) {
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const callback = (size: number): boolean => this.take(buffer.subarray(0, size));
    const options = { fd: reader, readable: true, writable: false, onread: { buffer, callback } };
    this.socket = new Socket(options);
    this.closed = once(this.socket, 'close').catch(() => {});
    this.socket.on('error', () => {}); // any error ends the pipe
  }

  /** `onChunk` receives a buffer that is reused: it has to copy the data that it keeps. */
  static async open(onChunk: (chunk: Buffer) => void): Promise<OutputPipe> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-pipe-'));
    const path = join(folder, 'output');
    try {
      await run('mkfifo', ['-m', '600', path]);
      const reader = openSync(path, O_RDONLY | O_NONBLOCK); // closed by the socket
      return new OutputPipe(reader, await open(path, O_WRONLY), onChunk);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** The file descriptor that the process writes to. */
  get fd(): number {
    return this.writer.fd;
  }

  /**
   * Closes the server's write end. The pipe ends when the process, and all processes that inherited
   * it, have closed it.
   */
  handedOver(): Promise<void> {
    return this.writer.close();
  }

  /**
   * Resolves when everything was read, or after a timeout if a process still holds the pipe open.
   */
  async drained(timeoutMs: number): Promise<void> {
    const timer = new AbortController();
    await Promise.race([
      this.closed,
      delay(timeoutMs, undefined, { signal: timer.signal }).catch(() => {}),
    ]);
    timer.abort();
    this.socket.destroy();
  }

  private take(chunk: Buffer): boolean {
    this.onChunk(chunk);
    if (this.inWindow === 0) setTimeout(() => this.openWindow(), WINDOW_MS).unref();
    this.inWindow += chunk.length;
    return this.inWindow < WINDOW_BYTES;
  }

  private openWindow(): void {
    this.inWindow = 0;
    this.socket.resume();
  }
}
