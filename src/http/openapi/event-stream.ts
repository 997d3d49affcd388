import { ApiResponse } from '@nestjs/swagger';
import type { ApiResponseNoStatusOptions } from '@nestjs/swagger';
import type { z } from 'zod';
import { pathTo, refTo } from '../../protocol/wire/components.js';

const DESCRIPTION =
  'Server-Sent Events; the `id` of every frame is the cursor after it. The schema is that of `data`, one line of JSON; docs/events.md explains the events.';

interface StreamResponse {
  /** Schema of the events. */
  readonly event?: string;
  /** Schema of the JSON that the client may choose instead. */
  readonly alsoJson?: z.ZodType;
  readonly headers?: ApiResponseNoStatusOptions['headers'];
}

/** Documents a 200 that streams events. */
export function ApiEventStream({
  event = 'StreamEvent',
  alsoJson,
  headers,
}: StreamResponse = {}): MethodDecorator {
  const schema = { $ref: pathTo(event) };
  const json = alsoJson && { 'application/json': { schema: refTo(alsoJson) } };
  return ApiResponse({
    status: 200,
    description: DESCRIPTION,
    content: { 'text/event-stream': { schema }, ...json },
    ...(headers && { headers }),
  });
}
