import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Application, NextFunction, Request, RequestHandler, Response } from 'express';
import expressStaticGzip from 'express-static-gzip';
import { audioEndpointOf } from '../audio/audio-endpoint.js';
import type { Config } from '../config/config.js';
import { servedFacades } from '../facades/served-facades.js';
import { PACKAGE_ROOT } from '../kernel/disk/package-root.js';

/** Made of `web/` by `npm run build`. */
const FOLDER = join(PACKAGE_ROOT, 'dist/console');
const PAGE = join(FOLDER, 'index.html');
/** Names of assets have a hash of their content. */
const ASSET = 'public, max-age=31536000, immutable';

/**
 * Serves the console at `/console/`, and sends browsers there that open `/`. Its files need no
 * credential: it asks for one when the API does.
 */
export function serveConsole(app: NestExpressApplication, config: Config): void {
  const server = app.getHttpAdapter().getInstance() as Application;
  server.use(redirectFromRoot);
  const served = existsSync(PAGE) ? [files(), page(config)] : [sayNotBuilt];
  server.use('/console', redirectToFolder, ...served);
}

/** Compressed when they were built. */
function files(): RequestHandler {
  const serve = expressStaticGzip(FOLDER, {
    ...{ enableBrotli: true, index: false, orderPreference: ['br'] },
    serveStatic: {
      redirect: false,
      cacheControl: false,
      setHeaders: (response, path) => {
        const isAsset = path.startsWith(join(FOLDER, 'assets'));
        response.setHeader('Cache-Control', isAsset ? ASSET : 'no-cache');
      },
    },
  }) as RequestHandler;
  return (request, response, next) => {
    // The page itself is not as it lies on the disk.
    if (request.path === '/' || request.path === '/index.html') return next();
    serve(request, response, (error?: unknown) => {
      // The answer is another one when a file is gone since the server has started.
      for (const name of ['Content-Encoding', 'Content-Type']) response.removeHeader(name);
      next(error);
    });
  };
}

/**
 * The page, under whatever address within the console: it reads from there what to show. Its links
 * are relative to the folder, wherever a proxy or another application has put that.
 */
function page(config: Config): RequestHandler {
  const content = readFileSync(PAGE, 'utf8').replace(
    '<title>',
    `${facades(config)}${audio(config)}${signIn(config)}<title>`,
  );
  const policy = policyOf(config);
  return (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    if (request.path.startsWith('/assets/')) return next();
    const depth = request.path.split('/').length - 2;
    const base = depth === 0 ? './' : '../'.repeat(depth);
    response.type('html').set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' });
    response.send(content.replace('<base href="/console/"', `<base href="${base}"`));
  };
}

/**
 * Nothing but the console's own files, requests to the server that it came from, and to the issuer
 * where people sign in. Components place menus by inline styles, into which no text of others gets.
 */
function policyOf({ oidcClientId, jwtIssuer }: Config): string {
  const issuer = oidcClientId && jwtIssuer ? ` ${new URL(jwtIssuer).origin}` : '';
  return [
    `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'`,
    `connect-src 'self'${issuer}; img-src 'self' data: blob:; font-src 'self'`,
    "manifest-src 'self'; worker-src 'self'",
    "base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
  ].join('; ');
}

/** Tells the page where people sign in; empty: they paste a key or a token. */
function signIn({ oidcClientId, oidcScopes, jwtIssuer, jwtAudience }: Config): string {
  if (!oidcClientId) return '';
  const values = {
    issuer: jwtIssuer,
    'client-id': oidcClientId,
    scopes: oidcScopes,
    audience: jwtAudience,
  };
  const data = Object.entries(values).map(
    ([name, value]) => `data-${name}="${quote(value ?? '')}"`,
  );
  return `<meta name="parley-sign-in" ${data.join(' ')} />`;
}

/** Tells the page which protocols of others there are. */
function facades(config: Config): string {
  const names = servedFacades(config).map(({ name }) => name);
  return `<meta name="parley-facades" content="${names.join(' ')}" />`;
}

/** Tells the page that it can record and speak. */
function audio(config: Config): string {
  return audioEndpointOf(config) === undefined ? '' : '<meta name="parley-audio" content="yes" />';
}

function quote(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Answers when the server runs from its sources, where the console is not built. */
function sayNotBuilt(_request: Request, response: Response): void {
  response
    .status(503)
    .type('html')
    .send('<title>Parley</title>The console is not built. <code>npm run build</code> does that.');
}

function redirectToFolder(request: Request, response: Response, next: NextFunction): void {
  const path = request.originalUrl.split('?', 1)[0]!;
  if (!path.endsWith('/console')) return next();
  response.redirect('console/');
}

/**
 * Programs get what they get for any other path without a route. The redirect is relative, for a
 * proxy that adds a prefix, and for an application that has the API under a path.
 */
function redirectFromRoot(request: Request, response: Response, next: NextFunction): void {
  if (request.path !== '/' || request.method !== 'GET') return next();
  response.vary('Accept');
  if (request.accepts(['json', 'html']) !== 'html') return next();
  const folder = lastSegment(request);
  response.redirect(folder === '' ? 'console/' : `${folder}/console/`);
}

/** Empty if the path ends with `/`. */
function lastSegment({ originalUrl }: Request): string {
  return originalUrl.split('?', 1)[0]!.split('/').at(-1)!;
}
