import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './openapi-operations.js';

/**
 * The document as Swagger UI needs it. That sends as `Accept` what is chosen at the first success, so what 202 answers has to be
 * on offer there, too: else nothing could be started in the background from the page.
 */
export function documentForPage(document: OpenAPIObject): OpenAPIObject {
  const page = structuredClone(document);
  for (const { responses } of operationsOf(page)) {
    const { 200: ok, 202: accepted } = responses;
    if (ok && 'content' in ok && accepted && 'content' in accepted)
      ok.content = { ...ok.content, ...accepted.content };
  }
  return page;
}
