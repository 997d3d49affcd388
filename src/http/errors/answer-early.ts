import type { Request, Response } from 'express';

/** Bytes that a refused client may still send, and the time for it in milliseconds. */
const MAX_DISCARDED = 16 * 1024 * 1024;
const MAX_TIME_MS = 10_000;

/** True while the body of a request is on its way. */
export function isArriving({ headers, complete }: Request): boolean {
  const hasBody =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return hasBody && !complete;
}

/**
 * Answers a request whose body is still arriving, and takes no other on its connection. The rest of
 * the body is discarded first: a connection that is closed with unread bytes is reset, and the
 * client may lose the answer.
 */
export function answerEarly(request: Request, response: Response, text: string): void {
  const end = (): void => {
    clearTimeout(timer);
    if (!response.writableEnded) response.end();
  };
  const timer = setTimeout(end, MAX_TIME_MS).unref();
  let left = MAX_DISCARDED;
  response.set({ Connection: 'close', 'Content-Length': String(Buffer.byteLength(text)) });
  response.once('close', end).write(text);
  request
    .on('error', () => {}) // the client may leave
    .on('data', (chunk: Uint8Array) => {
      left -= chunk.length;
      if (left < 0) end();
    })
    .once('end', end)
    .once('close', end);
}
