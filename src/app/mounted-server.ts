import { ServiceUnavailableException } from '@nestjs/common';
import type { Application, RequestHandler } from 'express';
import { allowedMethods } from '../http/errors/allowed-methods.js';
import type { ParleyServer } from './parley-server.js';

const PATH = /^(\/[\w.~-]+)+$/;
/** The page to try the API, whose files are not routes. */
const DOCS = /^\/docs(-json)?(\/|$)/;

/** A server that answers requests of another Express application. */
export class MountedServer {
  /** @param path checked; with `/` the application keeps the paths that the server lacks */
  constructor(
    readonly server: ParleyServer,
    private readonly path: string,
  ) {}

  /**
   * Goes before the body parser of the application, which would read the bodies, and so before all
   * that the application does with requests.
   */
  mountOn(app: Application): void {
    app.use(this.path, this.handle);
    const { stack } = app.router;
    stack.unshift(stack.pop()!);
  }

  private readonly handle: RequestHandler = (request, response, next) => {
    const { handler, isClosed } = this.server;
    if (this.path === '/' && !has(handler, request.path)) next();
    else if (isClosed) next(new ServiceUnavailableException('The server is shutting down.'));
    else handler(request, response, next);
  };
}

/** @throws Error if it is neither `/` nor like `/parley` */
export function checkPath(path: string): string {
  if (path === '/' || PATH.test(path)) return path;
  throw new Error(`path ${JSON.stringify(path)} has to be / or like /parley, without a final /.`);
}

function has(app: Application, path: string): boolean {
  return DOCS.test(path) || allowedMethods(app, path).length > 0;
}
