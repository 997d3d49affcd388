import type { RequestHandler } from 'express';
import type { Telemetry } from '../telemetry/telemetry.js';

/** Emits each response when its head is sent: the rest of it may be a stream of hours. */
export function measureRequests(telemetry: Telemetry): RequestHandler {
  return (request, response, next) => {
    const began = performance.now();
    const send = response.writeHead.bind(response) as (...head: unknown[]) => typeof response;
    response.writeHead = (...head: unknown[]): typeof response => {
      const sent = send(...head);
      const { method, route } = request;
      const pattern = (route as { readonly path?: string } | undefined)?.path;
      telemetry.emit('http_answered', {
        route: pattern === undefined ? undefined : `${method} ${pattern}`,
        status: response.statusCode,
        duration_ms: performance.now() - began,
      });
      return sent;
    };
    next();
  };
}
