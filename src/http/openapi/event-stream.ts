import { ApiResponse } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import { eventComponents } from '../../protocol/event-schemas.js';

type Components = NonNullable<OpenAPIObject['components']>;

const DESCRIPTION =
  'Server-Sent Events; the `id` of every frame is the cursor after it. The schema is that of `data`, one line of JSON; docs/events.md explains the events.';

/** Documents a 200 that streams events. */
export function ApiEventStream(): MethodDecorator {
  const schema = { $ref: '#/components/schemas/StreamEvent' };
  return ApiResponse({
    status: 200,
    description: DESCRIPTION,
    content: { 'text/event-stream': { schema } },
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
