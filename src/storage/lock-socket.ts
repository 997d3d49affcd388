import { connect, createServer } from 'node:net';
import type { Server } from 'node:net';

/** How long to wait for the holder to say who it is, in milliseconds; it may be busy starting. */
const PATIENCE_MS = 3000;

/** What a system or file system answers that has no Unix sockets, or no hard links. */
const REFUSALS = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EINVAL', 'ENOSYS', 'ENAMETOOLONG']);

/** Listens at a path until it is closed or the process ends, and tells whoever connects the process id. It keeps no process alive. */
export function listenAt(path: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(String(process.pid));
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve(server.unref()));
  });
}

export function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/**
 * Who listens at a path: a process id, `unknown` if it doesn't say, or `nobody`: the process is gone, or the file is.
 * A process that is too busy, or not ours to talk to, is there all the same.
 */
export function findListener(path: string): Promise<number | 'unknown' | 'nobody'> {
  return new Promise((resolve) => {
    const socket = connect(path);
    let said = '';
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket.on('data', (data) => (said += data.toString()));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      const isGone = code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ENOTSOCK';
      resolve(isGone ? 'nobody' : 'unknown');
    });
    socket.on('close', () => resolve(Number(said) || 'unknown'));
  });
}

/** Whether a lock can't be made in this place, though perhaps in another. */
export function isUnsupported(error: unknown): boolean {
  return REFUSALS.has((error as NodeJS.ErrnoException).code ?? '');
}
