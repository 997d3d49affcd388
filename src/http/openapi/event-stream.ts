import type { Type } from '@nestjs/common';
import { ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { ApiResponseNoStatusOptions, OpenAPIObject } from '@nestjs/swagger';
import { eventComponents } from '../../protocol/event-schemas.js';

type Components = NonNullable<OpenAPIObject['components']>;

const DESCRIPTION =
  'Server-Sent Events; the `id` of every frame is the cursor after it. The schema is that of `data`, one line of JSON; docs/events.md explains the events.';

interface StreamResponse {
  /** Schema of the events. */
  readonly event?: string;
  /** The class of the JSON that the client may choose instead. */
  readonly alsoJson?: Type;
  readonly headers?: ApiResponseNoStatusOptions['headers'];
}

/** Documents a 200 that streams events. */
export function ApiEventStream({
  event = 'StreamEvent',
  alsoJson,
  headers,
}: StreamResponse = {}): MethodDecorator {
  const schema = { $ref: `#/components/schemas/${event}` };
  const json = alsoJson && { 'application/json': { schema: { $ref: getSchemaPath(alsoJson) } } };
  return ApiResponse({
    status: 200,
    description: DESCRIPTION,
    content: { 'text/event-stream': { schema }, ...json },
    ...(headers && { headers }),
  });
}

/** Adds the schemas that streams and interactions refer to. */
export function describeEvents(document: OpenAPIObject): void {
  const events = eventComponents() as Components['schemas'];
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...events },
  };
}
