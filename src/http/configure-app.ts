import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Config } from '../config/config.js';
import type { AppLogger } from '../logging/app-logger.js';
import { hostMiddleware } from './security/host.middleware.js';
import { InputPipe } from './input/input.pipe.js';
import { jsonBody } from './input/json-body.js';
import { serveDocument } from './openapi/openapi.js';
import { ProblemFilter } from './errors/problem.filter.js';
import { refuseNulInUrl } from './input/refuse-nul-in-url.js';
import { requestLog } from '../logging/request-log.js';
import { roleMiddleware } from './security/role.middleware.js';
import { securityHeaders } from './security/security-headers.js';

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
    hostMiddleware(config),
    refuseNulInUrl,
    roleMiddleware(config),
    jsonBody(),
  );
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalPipes(new InputPipe());
  serveDocument(app);
  return app;
}
