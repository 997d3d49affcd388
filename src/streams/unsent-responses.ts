import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const waiting = new WeakMap<Socket, Set<ServerResponse>>();

/** True if the client has left, or has its answer. */
export function isGone({ closed, destroyed, req }: ServerResponse): boolean {
  return closed || destroyed || req.socket.destroyed;
}

/**
 * Emits `close` also for a response whose connection closes while it waits for an earlier one of
 * the same connection (pipelining). Node emits it only for the one that has the connection.
 */
export function closeUnsent(response: ServerResponse): void {
  const { socket } = response.req;
  const responses = waiting.get(socket) ?? closeWith(socket);
  responses.add(response);
  response.once('close', () => responses.delete(response));
}

function closeWith(socket: Socket): Set<ServerResponse> {
  const responses = new Set<ServerResponse>();
  waiting.set(socket, responses);
  socket.once('close', () => {
    for (const response of responses) {
      if (response.socket) continue;
      response.destroyed = true;
      response.emit('close');
    }
  });
  return responses;
}

export function closeOf(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('close', resolve));
}
