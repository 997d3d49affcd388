import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';

/** The headers and answers of a route that ends with `sendFile`. */
export function ApiSentFile(mediaType: string): MethodDecorator {
  const content = { [mediaType]: { schema: { type: 'string', format: 'binary' } } } as const;
  return applyDecorators(
    ApiResponse({ status: 416, description: 'The range begins after the end.' }),
    ApiResponse({ status: 404 }),
    ApiResponse({ status: 304, description: 'You have it.' }),
    ApiResponse({ status: 206, content }),
    ApiResponse({ status: 200, content }),
    ApiHeader({ name: 'If-None-Match', required: false }),
    ApiHeader({ name: 'Range', required: false, example: 'bytes=0-1023' }),
  );
}
