import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { Authentication } from '../auth/authentication.js';
import type { Authenticated } from '../auth/caller.decorator.js';
import type { Config } from '../config/config.js';
import { Clock } from '../kernel/clock.js';
import { inTurn } from '../kernel/async/turns.js';
import { asWork } from '../kernel/async/current-work.js';
import { NO_TENANT, withinTenant } from '../kernel/tenant-scope.js';
import { AppError } from '../kernel/app-error.js';
import type { AppLogger } from '../logging/app-logger.js';
import { facadeRules } from '../facades/served-facades.js';
import { serveConsole } from './console.js';
import { corsOptions } from '../http/security/cors-options.js';
import { hostMiddleware } from '../http/security/host.middleware.js';
import { measureRequests } from '../http/measure-requests.js';
import { InputPipe } from '../http/input/input.pipe.js';
import { jsonBody } from '../http/input/json-body.js';
import { silentBodies } from '../http/input/silent-bodies.js';
import { serveDocument } from '../http/openapi/openapi.js';
import { ProblemFilter } from '../http/errors/problem.filter.js';
import { requestLog } from '../logging/request-log.js';
import { Telemetry } from '../telemetry/telemetry.js';
import { ownerOf, ResponseLimits } from '../streams/response-limits.js';
import { roleMiddleware } from '../http/security/role.middleware.js';
import { serveUpgrades } from '../http/upgrades.js';

/**
 * Adds middleware, pipe, filter and `/docs`, for the server and for tests alike. Call it before the
 * application is initialised.
 */
export function configureApp(
  app: NestExpressApplication,
  config: Config,
  logger: AppLogger,
): NestExpressApplication {
  app.disable('x-powered-by');
  app.disable('etag'); // would hash every response
  app.getHttpServer().requestTimeout = 0; // headers have their own, `silentBodies` ends bodies
  app.getHttpServer().keepAliveTimeout = config.keepAliveTimeoutMs;
  serveUpgrades(app.getHttpServer());
  const limits = app.get(ResponseLimits);
  app.use(
    facadeRules(config),
    measureRequests(app.get(Telemetry)),
    limits.watchAll,
    securityHeaders,
    requestLog(logger),
    silentBodies(app.get(Clock)),
    hostMiddleware(config),
    refuseNulInUrl,
  );
  if (config.corsOrigins.length > 0) app.enableCors(corsOptions(config));
  app.use(roleMiddleware(config));
  if (config.ui) serveConsole(app, config);
  app.use(app.get(Authentication).middleware, limits.admit);
  app.use(jsonBody(ownerOf), ofTenant);
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalPipes(new InputPipe());
  serveDocument(app);
  return app;
}

/** After the body was read: what reads it is called by the socket. */
function ofTenant(request: Request & Authenticated, response: Response, next: NextFunction): void {
  const { principal, method } = request;
  // The route is known later. The path would name chats.
  const name = (): string => `${method} ${request.route?.path ?? ''}`.trim();
  const tenant = principal?.tenant_id ?? NO_TENANT;
  const owner = ownerOf(response) ?? '';
  inTurn(owner, () => withinTenant(tenant, () => asWork(name, next)));
}

/** For browsers: no guessing of types, no framing of `/docs`. */
function securityHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('X-Frame-Options', 'DENY');
  next();
}

/** No id or cursor contains U+0000, and databases refuse it. */
function refuseNulInUrl(request: Request, _response: Response, next: NextFunction): void {
  if (!request.url.includes('%00')) return next();
  next(new AppError('invalid', 'invalid_text', 'The URL must not contain the character U+0000.'));
}
