import type {
  CorsOptions,
  CorsOptionsDelegate,
} from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { Request } from 'express';
import type { Config } from '../../config/config.js';

const HEADERS = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID', 'Prefer'],
  ...['If-None-Match', 'If-Range', 'Range', 'X-API-Key', 'X-Request-Id'],
  ...['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id'],
  ...['A2A-Extensions', 'A2A-Version', 'X-AI-SDK-Version'],
];
/** OpenAI's clients describe themselves with headers that differ from version to version. */
const CLIENT_HEADER = /^x-stainless-[a-z-]{1,40}$/;
const MAX_CLIENT_HEADERS = 20;
const ALLOWED: CorsOptions = {
  methods: ['GET', 'POST', 'PATCH', 'DELETE'],
  exposedHeaders: [
    ...['Accept-Ranges', 'Content-Disposition', 'Content-Range', 'ETag'],
    ...['Content-Location', 'Location', 'Mcp-Session-Id', 'Retry-After', 'X-Request-Id'],
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
    const asked = request.headers['access-control-request-headers'];
    const allowedHeaders = [...HEADERS, ...clientHeaders(asked)];
    done(null, isListed ? { ...ALLOWED, allowedHeaders, origin } : { origin: false });
  };
}

function clientHeaders(asked = ''): string[] {
  const names = asked.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => CLIENT_HEADER.test(name)).slice(0, MAX_CLIENT_HEADERS);
}
