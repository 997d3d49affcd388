import { connect, createServer } from 'node:net';
import type { Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { messageOf } from '../kernel/app-error.js';

/** Timeout for the holder's reply with its process id, in milliseconds; it may be busy starting. */
const REPLY_TIMEOUT_MS = 3000;

/** Error codes of a system or file system that does not support Unix sockets or hard links. */
const REFUSALS = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EINVAL', 'ENOSYS', 'ENAMETOOLONG']);

/** Longest request, in characters. */
const LONGEST = 100;

/** Answers what a client asks; an empty request is for the process id. */
export type Answer = (request: string) => Promise<string>;

/**
 * Listens at a path until it is closed or the process ends, and answers each client that connects.
 * It does not keep the process alive.
 */
export function listenAt(path: string, answer: Answer): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let request = '';
    socket.on('error', () => {});
    socket.on('data', (data) => {
      request += data.toString();
      if (request.length > LONGEST) socket.destroy();
    });
    socket.on('end', () => {
      if (request === '') socket.end(String(process.pid));
      else
        answer(request).then(
          (said) => socket.end(said),
          (error: unknown) => socket.end(JSON.stringify({ error: messageOf(error) })),
        );
    });
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
 * The process that listens at a path: a process id, or `unknown` if it doesn't reply. The third
 * value means that the process or the file is gone. A process that is too busy, or whose socket is
 * not accessible, still counts as present.
 */
export function findListener(path: string): Promise<number | 'unknown' | 'none'> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.end();
    let said = '';
    socket.setTimeout(REPLY_TIMEOUT_MS, () => socket.destroy());
    socket.on('data', (data) => (said += data.toString()));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      const isGone = code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ENOTSOCK';
      resolve(isGone ? 'none' : 'unknown');
    });
    socket.on('close', () => resolve(Number(said) || 'unknown'));
  });
}

/** The answer of the process that listens at a path, however long that takes. */
export async function askListener(path: string, request: string): Promise<string> {
  const socket = connect(path);
  socket.end(request);
  return text(socket);
}

/** True if a lock can't be created in this place, but possibly in another. */
export function isUnsupported(error: unknown): boolean {
  return REFUSALS.has((error as NodeJS.ErrnoException).code ?? '');
}
