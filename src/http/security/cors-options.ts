import type {
  CorsOptions,
  CorsOptionsDelegate,
} from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { Request } from 'express';
import type { Config } from '../../config/config.js';

const ALLOWED: CorsOptions = {
  methods: ['GET', 'POST', 'PATCH', 'DELETE'],
  allowedHeaders: [
    ...['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID', 'Prefer'],
    ...['If-None-Match', 'If-Range', 'Range', 'X-API-Key', 'X-Request-Id'],
  ],
  exposedHeaders: [
    ...['Accept-Ranges', 'Content-Disposition', 'Content-Range', 'ETag'],
    ...['Location', 'Retry-After', 'X-Request-Id'],
  ],
  maxAge: 600,
};

/**
 * For pages of `CORS_ORIGINS`; others get no CORS header. Preflights are answered before
 * authentication, as they have no credential. There are no cookies, so none are allowed.
 */
export function corsOptions({
  corsOrigins,
}: Pick<Config, 'corsOrigins'>): CorsOptionsDelegate<Request> {
  const listed = new Set(corsOrigins);
  return (request, done) => {
    request.res?.vary('Origin');
    const { origin } = request.headers;
    const isListed = origin !== undefined && listed.has(origin);
    done(null, isListed ? { ...ALLOWED, origin } : { origin: false });
  };
}
