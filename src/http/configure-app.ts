import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Config } from '../config/config.js';
import type { AppLogger } from './app-logger.js';
import { hostGuard } from './host.guard.js';
import { InputPipe } from './input.pipe.js';
import { jsonBody } from './json-body.js';
import { serveDocument } from './openapi.js';
import { ProblemFilter } from './problem.filter.js';
import { refuseNulInUrl } from './refuse-nul-in-url.js';
import { requestLog } from './request-log.js';
import { roleGuard } from './role.guard.js';
import { securityHeaders } from './security-headers.js';

/** Gives the application its edges, the same in the server and in tests. To be called before it is initialised. */
export function configureApp(
  app: NestExpressApplication,
  config: Config,
  logger: AppLogger,
): NestExpressApplication {
  app.useLogger(logger);
  app.disable('x-powered-by');
  app.disable('etag'); // a hash of every answer, that nobody asks for
  app.use(
    securityHeaders,
    requestLog(logger),
    hostGuard(config),
    refuseNulInUrl,
    roleGuard(config),
    jsonBody(),
  );
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalPipes(new InputPipe());
  serveDocument(app);
  return app;
}
