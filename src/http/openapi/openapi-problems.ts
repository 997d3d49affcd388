import { getSchemaPath } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './openapi-operations.js';
import { ProblemDto } from '../errors/problem.dto.js';

const TYPE = 'application/problem+json';

/** Any operation can fail, and always in the same form: also the failures that a controller names are problem documents. */
export function describeProblems(document: OpenAPIObject): void {
  const schema = { $ref: getSchemaPath(ProblemDto) };
  for (const { responses } of operationsOf(document)) {
    responses['default'] ??= { description: 'A problem', content: { [TYPE]: { schema } } };
    for (const [status, response] of Object.entries(responses)) {
      if (!(Number(status) >= 400) || !response || '$ref' in response) continue;
      const [named] = Object.values(response.content ?? {});
      response.content = { [TYPE]: named ?? { schema } };
    }
  }
}
