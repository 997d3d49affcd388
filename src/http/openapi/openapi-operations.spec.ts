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

  it('leaves a body with examples of its own alone: a document has either', () => {
    const examples = { all: { value: { b: 2 } } };
    expect(bodyWith({ examples })).not.toHaveProperty('example');
  });
});
