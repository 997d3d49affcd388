import type { OpenAPIObject } from '@nestjs/swagger';
import { componentSchemas } from '../../protocol/event-schemas.js';
import { refTo } from '../../protocol/wire/components.js';
import { problem } from '../../protocol/wire/problem.js';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;
type Components = NonNullable<OpenAPIObject['components']>;

const JSON_TYPE = 'application/json';
const PROBLEM = 'application/problem+json';

/** All operations of the document, to be read or changed in place. */
export function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.values(document.paths)
    .flatMap((path) => [path.get, path.post, path.put, path.patch, path.delete])
    .filter((operation) => operation !== undefined);
}

/** Says of operations without a credential that they need none. */
export function describeAccess(document: OpenAPIObject): void {
  for (const operation of operationsOf(document)) operation.security ??= [];
}

/**
 * Any operation can fail, and always in the same form: the failures that a controller names are
 * problem documents too.
 */
export function describeProblems(document: OpenAPIObject): void {
  const schema = refTo(problem);
  for (const { responses } of operationsOf(document)) {
    responses['default'] ??= { description: 'A problem', content: { [PROBLEM]: { schema } } };
    for (const [status, response] of Object.entries(responses)) {
      if (!(Number(status) >= 400) || !response || '$ref' in response) continue;
      const [named] = Object.values(response.content ?? {});
      response.content = { [PROBLEM]: named ?? { schema } };
    }
  }
}

/** Adds the schemas of answers and events. */
export function describeComponents(document: OpenAPIObject): void {
  const schemas = componentSchemas() as Components['schemas'];
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...schemas },
  };
}

/**
 * Gives each JSON body an example of the fields that have one, before its other examples: values
 * that a page makes up for the others would be refused.
 */
export function describeExamples(document: OpenAPIObject): void {
  for (const { requestBody } of operationsOf(document)) {
    const json = requestBody && 'content' in requestBody && requestBody.content[JSON_TYPE];
    if (!json || !json.schema || !('$ref' in json.schema)) continue;
    const schema = document.components?.schemas?.[json.schema.$ref.split('/').at(-1) ?? ''];
    const properties = schema && 'properties' in schema ? (schema.properties ?? {}) : {};
    const value = Object.fromEntries(
      Object.entries(properties).flatMap(([name, property]) =>
        'example' in property ? [[name, property.example as unknown]] : [],
      ),
    );
    if (json.examples) json.examples = { fields: { value }, ...json.examples };
    else json.example = value;
  }
}

/**
 * The document as Swagger UI needs it. The page sends as `Accept` the media type that is chosen at
 * the first success, so that of 202 is offered there too: without it, nothing could be started in
 * the background from the page.
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
