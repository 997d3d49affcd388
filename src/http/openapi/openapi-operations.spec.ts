import type { OpenAPIObject } from '@nestjs/swagger';
import { describeExamples } from './openapi-operations.js';

describe(describeExamples.name, () => {
  const bodyWith = (more: object): object => {
    const schema = { $ref: '#/components/schemas/Body' };
    const content = { 'application/json': { schema, ...more } };
    const document = {
      paths: { '/things': { post: { requestBody: { content }, responses: {} } } },
      components: { schemas: { Body: { properties: { a: { example: 1 }, b: {} } } } },
    };
    describeExamples(document as unknown as OpenAPIObject);
    return content['application/json'];
  };

  it('makes an example of the fields that have one', () => {
    expect(bodyWith({})).toHaveProperty('example', { a: 1 });
  });

  it('puts it before the examples that a body has: a document has either', () => {
    const body = bodyWith({ examples: { all: { value: { b: 2 } } } });
    expect(body).not.toHaveProperty('example');
    expect(Object.values((body as { examples: object }).examples)).toEqual([
      { value: { a: 1 } },
      { value: { b: 2 } },
    ]);
  });
});
