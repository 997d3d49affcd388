import { readFileSync } from 'node:fs';
import request from 'supertest';
import type { Server } from 'node:http';
import { startTinyApp } from '../../../test/support/server/tiny-app.js';
import type { TinyApp } from '../../../test/support/server/tiny-app.js';
import { eventSchemas } from '../../protocol/event-schemas.js';
import { buildDocument } from './openapi.js';

interface Schema {
  readonly oneOf?: readonly object[];
  readonly discriminator?: { readonly mapping: Readonly<Record<string, string>> };
  readonly example?: { readonly type: string };
}

describe(buildDocument.name, () => {
  let tiny: TinyApp;
  let server: Server;

  beforeAll(async () => {
    tiny = await startTinyApp();
    server = tiny.app.getHttpServer();
  });
  afterAll(() => tiny.app.close());

  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(buildDocument(tiny.app).info).toMatchObject({ title: 'Parley', version });
  });

  it('names operations after their controllers', () => {
    const { paths } = buildDocument(tiny.app);
    expect(paths['/things']?.get?.operationId).toBe('things_list');
  });

  it('can be kept as JSON', () => {
    const text = JSON.stringify(buildDocument(tiny.app));
    expect(JSON.parse(text)).toMatchObject({ openapi: '3.0.0' });
  });

  it('describes the events of streams, each with an example that fits its schema', () => {
    const { schemas } = buildDocument(tiny.app).components as { schemas: Record<string, Schema> };
    const { oneOf, discriminator } = schemas['StreamEvent']!;
    const refs = Object.entries(discriminator!.mapping);
    expect(oneOf).toEqual(refs.map(([, $ref]) => ({ $ref })));
    expect(refs.map(([type]) => type)).toEqual([...eventSchemas().keys()]);
    for (const [type, ref] of refs) {
      const { example } = schemas[ref.split('/').at(-1)!]!;
      expect(example).toHaveProperty('type', type);
      expect(eventSchemas().get(type)!.strict().safeParse(example).error).toBeUndefined();
    }
  });

  it('describes how every operation fails', async () => {
    const { body } = await request(server).get('/docs-json').expect(200);
    expect(body.components.schemas).toHaveProperty('Problem');
    for (const path of Object.values<object>(body.paths))
      for (const operation of Object.values(path))
        expect(operation.responses.default.content).toEqual({
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        });
  });

  it.each(['/docs', '/docs?a=b'])('is served as a page that needs no internet: %s', async (url) => {
    const { text, headers } = await request(server).get(url).expect(200);
    expect(headers['content-type']).toContain('text/html');
    const sources = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source ?? '');
    expect(sources.length).toBeGreaterThan(3);
    for (const source of sources) {
      expect(source).not.toMatch(/^(https?:)?\/\//);
      const found = await request(server)
        .get(new URL(source, 'http://h/docs').pathname)
        .expect(200);
      expect(found.headers['content-type']).not.toContain('text/html');
    }
  });

  it.each(['/docs/', '/docs/?a=b', '/docs/index.html'])(
    'sends %s to the page, whose links are relative to its own name',
    async (url) => {
      const { headers } = await request(server).get(url).expect(308);
      expect(new URL(headers['location'] ?? '', `http://h${url}`).href).toBe('http://h/docs');
    },
  );

  it('offers the page what 202 answers, so that it can be asked for', async () => {
    const page = await request(server).get('/docs/swagger-ui-init.js').expect(200);
    const [, options = ''] = page.text.split('let options = ');
    const { swaggerDoc } = JSON.parse(options.slice(0, options.indexOf('};') + 1));
    expect(Object.keys(swaggerDoc.paths['/begin'].post.responses[200].content)).toEqual([
      'text/event-stream',
      'application/json',
    ]);
    const { body } = await request(server).get('/docs-json').expect(200);
    expect(Object.keys(body.paths['/begin'].post.responses[200].content)).toEqual([
      'text/event-stream',
    ]);
  });
});
