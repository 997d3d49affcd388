import { ApiResponse } from '@nestjs/swagger';
import type { ApiResponseNoStatusOptions } from '@nestjs/swagger';
import type { z } from 'zod';
import { refTo } from '../../protocol/wire/components.js';

/** Documents an answer with the schema of a component. */
export function ApiAnswer(
  status: number,
  schema: z.ZodType,
  options: Pick<ApiResponseNoStatusOptions, 'description' | 'headers'> = {},
): MethodDecorator {
  return ApiResponse({ status, schema: refTo(schema), ...options });
}
