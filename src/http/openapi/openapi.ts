import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { VERSION } from '../../kernel/version.js';
import {
  describeAccess,
  describeComponents,
  describeExamples,
  describeProblems,
  documentForPage,
} from './openapi-operations.js';

const DESCRIPTION = `Talk to LLM agents over plain HTTP and Server-Sent Events.

Start with \`POST /chats/{chat_id}/interactions\`: it creates the chat if it is new, runs the agent on your message and streams its events.
To resume a broken stream, \`GET …/events\` with the last \`id\` in \`Last-Event-ID\`.
Errors are \`application/problem+json\`.
Unless the server runs with \`AUTH=none\`, requests need a credential: use Authorize.`;

/** In the order in which a client needs them. */
const TAGS = [
  ...['chats', 'interactions', 'requests', 'live', 'files', 'audio', 'agents', 'tasks'],
  ...['permissions', 'tools', 'operations', 'audit', 'access'],
];

/** Describes every route of an initialised application. */
export function buildDocument(app: INestApplication): OpenAPIObject {
  const info = new DocumentBuilder()
    .setTitle('Parley')
    .setVersion(VERSION)
    .setDescription(DESCRIPTION)
    .addServer('/')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'A key or a token.' }, 'bearer')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key' }, 'x-api-key')
    .setLicense('MIT', 'https://opensource.org/license/mit');
  for (const tag of TAGS) info.addTag(tag);
  const document = SwaggerModule.createDocument(app, info.build(), {
    operationIdFactory: operationId,
  });
  describeAccess(document);
  describeProblems(document);
  describeExamples(document);
  describeComponents(document);
  return document;
}

/**
 * Serves the document at `/docs-json`, and at `/docs` a page to try it, which needs no internet.
 * The document is built on the first request.
 */
export function serveDocument(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => buildDocument(app), {
    ui: false,
    raw: ['json'],
    patchDocumentOnRequest: underItsPath,
  });
  app.use(redirectToDocs);
  SwaggerModule.setup('docs', app, () => documentForPage(buildDocument(app)), {
    customSiteTitle: 'Parley API',
    raw: false,
    swaggerOptions: { tryItOutEnabled: true, displayRequestDuration: true },
    patchDocumentOnRequest: underItsPath,
  });
}

/** In an application that has the API under a path, the paths of the document are below that. */
function underItsPath(request: unknown, _response: unknown, document: OpenAPIObject) {
  const { baseUrl } = request as Request;
  return baseUrl === '' ? document : { ...document, servers: [{ url: baseUrl }] };
}

/** `ChatsController.list` → `chats_list` */
function operationId(controller: string, method: string): string {
  const name = controller.replace(/Controller$/, '');
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}_${method}`;
}

const ALIASES = /^\/docs\/(index\.html)?$/;

/**
 * The page's links are relative to `/docs`, so under its other names they would break. The
 * redirect is relative too, for a proxy that adds a prefix.
 */
function redirectToDocs(request: Request, response: Response, next: NextFunction): void {
  if (ALIASES.test(request.path)) response.redirect(308, '../docs');
  else next();
}
