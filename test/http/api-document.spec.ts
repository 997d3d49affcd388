import { NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from '../../src/app.module.js';
import { loadConfig } from '../../src/config/load-config.js';
import { buildDocument } from '../../src/http/openapi/openapi.js';
import { operationsOf } from '../../src/http/openapi/openapi-operations.js';
import type { AllStores } from '../../src/storage/stores.js';

const STREAMS = [
  ...['interactions_start', 'interactions_edit', 'interactions_follow'],
  ...['feed_followAll', 'feed_followChat'],
];

describe('The document of the whole API', () => {
  let document: OpenAPIObject;

  beforeAll(async () => {
    const module = AppModule.of(loadConfig({}, false), {} as AllStores); // a preview instantiates nothing
    const app = await NestFactory.create(module, { preview: true, logger: false });
    document = buildDocument(app);
    await app.close();
  });

  /** `[operation, status, media type]` of everything that can be answered. */
  const answers = () =>
    operationsOf(document).flatMap(({ operationId = '', responses }) =>
      Object.entries(responses).flatMap(([status, response]) =>
        Object.keys((response && 'content' in response && response.content) || { none: 1 }).map(
          (type) => [operationId, status, type] as const,
        ),
      ),
    );
  const schemaOf = (name: string) => {
    const schema = document.components?.schemas?.[name];
    if (!schema || '$ref' in schema) throw new Error(`no schema ${name}`);
    return schema.properties ?? {};
  };
  const refOf = (path: string, method: 'post' | 'patch' | 'delete', status: number) =>
    JSON.stringify(document.paths[path]?.[method]?.responses[status]);

  it('has every error, named or not, as a problem document', () => {
    const errors = answers().filter(([, status]) => status === 'default' || Number(status) >= 400);
    expect(errors.length).toBeGreaterThan(60);
    expect(errors.filter(([, , type]) => type !== 'application/problem+json')).toEqual([]);
  });

  it('says of each operation whether it needs a credential', () => {
    const open = operationsOf(document).filter(({ security }) => security?.length === 0);
    expect(open.map(({ operationId = '' }) => operationId).toSorted()).toEqual(
      ['health_live', 'health_ready', 'problems_get'].toSorted(),
    );
    expect(operationsOf(document).filter(({ security }) => !security)).toEqual([]);
    expect(document.servers).toEqual([expect.objectContaining({ url: '/' })]);
  });

  it('has streams where streams are sent, and only there', () => {
    const streams = answers().filter(([, , type]) => type === 'text/event-stream');
    expect(streams.map(([operation, status]) => `${operation} ${status}`).toSorted()).toEqual(
      STREAMS.map((operation) => `${operation} 200`).toSorted(),
    );
  });

  it('has what is begun or stopped in the background as JSON', () => {
    const accepted = answers().filter(([, status]) => status === '202');
    expect(accepted).toHaveLength(5);
    expect(accepted.map(([, , type]) => type)).toEqual(accepted.map(() => 'application/json'));
  });

  it('has no value that a change which leaves the field out would get', () => {
    for (const name of ['ChangeTaskDto', 'UpdateChatDto'])
      for (const property of Object.values(schemaOf(name)))
        expect(property).not.toHaveProperty('default');
    expect(schemaOf('CreateTaskDto')['status']).toHaveProperty('default', 'pending');
    expect(schemaOf('ChangeTaskDto')['status']).toHaveProperty('enum');
  });

  it('tells true from "true"', () => {
    expect(schemaOf('TraceEntry')['matched']).toMatchObject({
      anyOf: [{ type: 'boolean' }, { type: 'string', enum: ['maybe'] }],
    });
    expect(schemaOf('TraceEntry')['matched']).not.toHaveProperty('type');
  });

  it('begins with what a client needs first, and knows every tag', () => {
    const tags = document.tags?.map(({ name }) => name) ?? [];
    expect(tags.slice(0, 3)).toEqual(['chats', 'interactions', 'requests']);
    const used = new Set(operationsOf(document).flatMap((operation) => operation.tags ?? []));
    expect(tags.toSorted()).toEqual([...used].toSorted());
  });

  it('has examples that do no lasting harm when they are sent as they are', () => {
    /** The one that Swagger fills in. */
    const exampleOf = (path: string) => {
      const body = document.paths[path]?.post?.requestBody;
      const json = body && 'content' in body ? body.content['application/json'] : undefined;
      const [first] = Object.values(json?.examples ?? { own: { value: json?.example } });
      return first && 'value' in first && first.value;
    };
    expect(exampleOf('/interactions/cancel')).toEqual({ interaction_ids: [expect.any(String)] });
    expect(exampleOf('/permissions/rules')).toMatchObject({ scope: 'session', decision: 'ask' });
  });

  it('gives the command for streams that a page can not show, and replays from the start', () => {
    for (const path of ['/events', '/chats/{chat_id}/events'])
      expect(document.paths[path]?.get?.description).toMatch(/`curl -N /);
    for (const { operationId, parameters = [] } of operationsOf(document)) {
      const after = parameters.find((it) => 'name' in it && it.name === 'after');
      if (after)
        expect([operationId, after]).toEqual([
          operationId,
          expect.objectContaining({ schema: expect.objectContaining({ example: '0' }) }),
        ]);
    }
  });

  it('describes what conflicts tell besides that there is one', () => {
    const interactions = '/chats/{chat_id}/interactions';
    const edit = `${interactions}/{interaction_id}/edit`;
    for (const path of [interactions, edit]) expect(refOf(path, 'post', 409)).toMatch('ChatBusy');
    expect(schemaOf('ChatBusy')).toHaveProperty('active_interaction_id');
    for (const method of ['patch', 'delete'] as const)
      expect(refOf('/tasks/{id}', method, 409)).toMatch('TaskChanged');
    expect(JSON.stringify(schemaOf('TaskChanged')['task'])).toMatch('Task');
    expect(refOf('/chats/{chat_id}', 'patch', 409)).toMatch('Problem');
  });
});
