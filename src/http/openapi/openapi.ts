import { writeFileSync } from 'node:fs';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import { documentForPage } from './openapi-page.js';
import { describeProblems } from './openapi-problems.js';
import { ProblemDto } from '../errors/problem.dto.js';
import { redirectToDocs } from './redirect-to-docs.js';

const VERSION = '0.1.0';
const DESCRIPTION = `Talk to LLM agents over plain HTTP and Server-Sent Events.

Start with \`POST /chats/{chat_id}/interactions\`: it creates the chat if it is new, runs the agent on your message and streams what it does.
A stream that broke goes on where it stood: \`GET …/events\` with the last \`id\` in \`Last-Event-ID\`.
Errors are \`application/problem+json\`.`;

/** Describes every route of the application, which has to be initialised. */
export function buildDocument(app: INestApplication): OpenAPIObject {
  const info = new DocumentBuilder()
    .setTitle('Parley')
    .setVersion(VERSION)
    .setDescription(DESCRIPTION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .build();
  const document = SwaggerModule.createDocument(app, info, {
    extraModels: [ProblemDto],
    operationIdFactory: operationId,
  });
  describeProblems(document);
  return document;
}

/** Serves the document at `/docs-json` and a page to try it at `/docs`, which needs no internet. Built when first asked for. */
export function serveDocument(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => buildDocument(app), { ui: false, raw: ['json'] });
  app.use(redirectToDocs);
  SwaggerModule.setup('docs', app, () => documentForPage(buildDocument(app)), {
    customSiteTitle: 'Parley API',
    raw: false,
    swaggerOptions: { tryItOutEnabled: true, displayRequestDuration: true },
  });
}

/** Keeps the document in a file, to be compared with what the code says. */
export function writeDocument(app: INestApplication, path: string): void {
  writeFileSync(path, `${JSON.stringify(buildDocument(app), null, 2)}\n`);
}

/** `ChatsController.list` → `chats_list` */
function operationId(controller: string, method: string): string {
  const name = controller.replace(/Controller$/, '');
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}_${method}`;
}
