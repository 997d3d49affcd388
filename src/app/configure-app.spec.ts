import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Server } from 'node:http';
import { jest } from '@jest/globals';
import request from 'supertest';
import type { Test } from 'supertest';
import { startTinyApp } from '../../test/support/server/tiny-app.js';
import type { TinyApp } from '../../test/support/server/tiny-app.js';
import { configureApp } from './configure-app.js';
import { STATUS_OF_KIND } from '../http/errors/to-problem.js';

describe(configureApp.name, () => {
  let tiny: TinyApp;
  let server: Server;

  beforeAll(async () => {
    tiny = await startTinyApp();
    server = tiny.app.getHttpServer();
  });
  afterAll(() => tiny.app.close());

  const post = (body: string, type = 'application/json'): Test =>
    request(server).post('/things').set('Content-Type', type).send(body);

  it('gives a body any time while bytes arrive, but not headers', () => {
    expect(server.requestTimeout).toBe(0);
    expect(server.headersTimeout).toBe(60_000);
  });

  it('closes idle connections later than load balancers and deploy/nginx.conf', async () => {
    const { headers } = await request(server).get('/things/7').set('Connection', 'keep-alive');
    expect(headers['keep-alive']).toBe('timeout=72');
    const [, seconds] = /keepalive_timeout (\d+)s;/.exec(
      readFileSync('deploy/nginx.conf', 'utf8'),
    )!;
    expect(Number(seconds)).toBeLessThan(72);
  });

  describe('problems', () => {
    it.each(Object.entries(STATUS_OF_KIND))('answers %s with %i', async (kind, status) => {
      const { body, headers } = await request(server).get(`/faults/${kind}?x=1`).expect(status);
      expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
      expect(headers['retry-after'] ?? 'none').toMatch(status === 503 ? /^[1-5]$/ : 'none');
      if (kind === 'internal') return;
      expect(body).toEqual({
        type: '/problems/some_code',
        title: 'Some code',
        status,
        detail: 'Do this instead',
        instance: `/faults/${kind}`,
        errors: [{ field: 'a.0', message: 'is odd' }],
        other: 1,
      });
    });

    it.each(['/bug', '/faults/internal'])('keeps the cause of %s to the log', async (path) => {
      const { body, text } = await request(server)
        .get(path)
        .set('X-Request-Id', 'my-id')
        .expect(500);
      expect(body).toMatchObject({ type: '/problems/internal', request_id: 'my-id' });
      expect(text).not.toMatch(/internals|instead/);
      const entry = tiny.log.findLast(({ level }) => level === 'error');
      expect(entry).toMatchObject({ context: 'ProblemFilter', path, request_id: 'my-id' });
      expect(JSON.stringify(entry)).toMatch(/internals of ours|the cause/);
    });

    it('names the method and the path that do not exist', async () => {
      const { body } = await request(server).put('/nowhere?q=1').expect(404);
      expect(body).toEqual({
        type: '/problems/not_found',
        title: 'Not found',
        status: 404,
        detail: 'There is no PUT /nowhere. See /docs for the API.',
        instance: '/nowhere',
      });
    });

    it('keeps the status of the framework', async () => {
      const { body } = await request(server).get('/wrong-method').expect(405);
      expect(body).toMatchObject({ type: '/problems/method_not_allowed', detail: 'Only POST' });
    });

    it('refuses a path that is badly encoded', async () => {
      const { body } = await request(server).get('/things/%E0%A4%A').expect(400);
      expect(body).toMatchObject({ type: '/problems/malformed_url' });
    });

    it('refuses U+0000 in a URL', async () => {
      await request(server).get('/things/a%00b').expect(400);
      const { body } = await request(server).get('/things?limit=%00').expect(400);
      expect(body).toMatchObject({ type: '/problems/invalid_text' });
    });

    it('ends a response that has begun', async () => {
      const { text } = await request(server).get('/half').expect(200);
      expect(text).toBe('half');
    });
  });

  describe('bodies', () => {
    it('takes JSON, also compressed', async () => {
      await post('{"name":"a"}').expect(201, { name: 'a' });
      await post('{"name":"a"}', 'application/vnd.x+json; charset=utf-8').expect(201);
      await request(server)
        .post('/things')
        .set({ 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
        .serialize((body: unknown) => body as string)
        .send(gzipSync('{"name":"a"}'))
        .expect(201, { name: 'a' });
    });

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
      'refuses %s',
      async (type) => {
        const { body } = await post('name=a', type).expect(415);
        expect(body).toMatchObject({ type: '/problems/unsupported_media_type' });
        expect(body.detail).toContain('application/json');
      },
    );

    it('refuses a body that does not say what it is', async () => {
      const response = await fetch(url('/things'), { method: 'POST', body: Buffer.from('{}') });
      expect(response.status).toBe(415);
      expect(await response.json()).toMatchObject({ type: '/problems/unsupported_media_type' });
    });

    it.each([
      ['application/json; charset=latin1', undefined],
      ['application/json', 'compress'],
    ])('refuses %s with encoding %s', async (type, encoding) => {
      const test = post('{"name":"a"}', type);
      const { body } = await (encoding ? test.set('Content-Encoding', encoding) : test).expect(415);
      expect(body).toMatchObject({ type: '/problems/unsupported_media_type' });
    });

    it.each([
      ['{"name":', 'malformed_json'],
      ['name=a', 'malformed_json'],
      ['[]', 'invalid_body'],
      ['"text"', 'invalid_body'],
      ['null', 'invalid_body'],
      ['7', 'invalid_body'],
    ])('refuses %s as %s', async (text, code) => {
      const { body } = await post(text).expect(400);
      expect(body).toMatchObject({ type: `/problems/${code}` });
    });

    it('refuses what is no gzip', async () => {
      const { body } = await post('{"name":"a"}').set('Content-Encoding', 'gzip').expect(400);
      expect(body).toMatchObject({ type: '/problems/invalid_body' });
    });

    it('names the limit that a body exceeds', async () => {
      const { body } = await post(`{"name":"${'x'.repeat(2_000_000)}"}`).expect(413);
      expect(body).toMatchObject({ type: '/problems/body_too_large', limit: 1_048_576 });
    });

    it('names what an empty body lacks', async () => {
      const { body } = await request(server).post('/things').expect(400);
      expect(body).toMatchObject({ type: '/problems/invalid_body', errors: [{ field: 'name' }] });
    });

    it('needs none where none is taken', async () => {
      await request(server).post('/nothing').expect(204);
    });

    it('names the field with U+0000', async () => {
      const { body } = await post('{"name":"a","metadata":{"b":["c\\u0000"]}}').expect(400);
      expect(body).toMatchObject({
        type: '/problems/invalid_text',
        errors: [{ field: 'metadata.b.0', message: 'must not contain the character U+0000' }],
      });
    });

    it('replaces lone surrogates, in keys too', async () => {
      const { body } = await post('{"name":"a\\ud800","metadata":{"\\udc00":"😀"}}').expect(201);
      expect(body).toEqual({ name: 'a\ufffd', metadata: { '\ufffd': '😀' } });
    });

    it('drops prototypes', async () => {
      const text = '{"name":"a","__proto__":{"x":1},"metadata":{"__proto__":{"x":1},"y":2}}';
      const { body } = await post(text).expect(201);
      expect(body).toEqual({ name: 'a', metadata: { y: 2 } });
      expect({}).not.toHaveProperty('x');
    });

    it('takes 64 levels and no more', async () => {
      const nested = (depth: number): string =>
        `{"name":"a","metadata":{"x":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}}`;
      await post(nested(64)).expect(201);
      const { body } = await post(nested(65)).expect(400);
      expect(body).toMatchObject({ type: '/problems/too_deep' });
    });

    it.each([
      ['20,000 values', { name: 'a', metadata: { x: Array.from({ length: 20_000 }, () => 1) } }],
      [
        '1,000 fields',
        { name: 'a', metadata: Object.fromEntries([...Array(1_001).keys()].entries()) },
      ],
    ])('refuses more than %s', async (_, body) => {
      const { body: problem } = await post(JSON.stringify(body)).expect(400);
      expect(problem).toMatchObject({ type: '/problems/invalid_body' });
      expect(problem.detail).toContain('more than');
    });

    it('parses nothing that is deeper, which would hold up everybody', async () => {
      const deep = `{"metadata":${'['.repeat(500_000)}${']'.repeat(500_000)}}`;
      const parse = jest.spyOn(JSON, 'parse');
      const { text } = await post(deep).expect(400);
      const parsed = parse.mock.calls.map(([json]) => json);
      parse.mockRestore();
      expect(text).toContain('too_deep');
      expect(text).not.toContain('[[');
      expect(parsed).not.toContain(deep);
    });
  });

  describe('fields', () => {
    it('names each that is wrong, by its path', async () => {
      const wrong = { name: 7, parts: [{ name: 'a' }, { nme: 'b' }], tags: [1] };
      const { body } = await post(JSON.stringify(wrong)).expect(400);
      expect(body).toMatchObject({
        type: '/problems/invalid_body',
        errors: [
          { field: 'name', message: 'must be a string' },
          { field: 'parts.1.nme', message: 'is not a known field; did you mean name?' },
          { field: 'parts.1.name', message: 'is needed' },
          { field: 'tags', message: 'each value must be a string' },
        ],
      });
      expect(body.detail).toContain('name must be');
    });

    it('does not tell more than fifty faults', async () => {
      const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x${i}`, i]));
      const { body } = await post(JSON.stringify({ name: 'a', ...many })).expect(400);
      expect(body.errors).toHaveLength(50);
    });

    it('reads queries', async () => {
      await request(server).get('/things?limit=5').expect(200, { limit: 5 });
      const { body } = await request(server).get('/things?limit=five&x=1').expect(400);
      expect(body).toMatchObject({
        type: '/problems/invalid_query',
        errors: [
          { field: 'x', message: 'is not a known field' },
          { field: 'limit', message: 'must be an integer number' },
        ],
      });
    });

    it.each(['constructor', 'prototype', '__proto__'])(
      'is not fooled by a part with %s',
      async (key) => {
        const text = `{"name":"a","parts":[{"${key}":{"name":"Object"},"other":1}]}`;
        const { body } = await post(text).expect(400);
        expect(body.errors).toEqual(
          expect.arrayContaining([{ field: 'parts.0.other', message: 'is not a known field' }]),
        );
      },
    );
  });

  describe('headers', () => {
    it('are what a browser needs to know', async () => {
      const { headers } = await request(server).get('/docs').expect(200);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'x-request-id': expect.stringMatching(/^[\w-]{36}$/) as string,
      });
      expect(headers).not.toHaveProperty('x-powered-by');
    });

    it('carry an id that the log names too', async () => {
      await request(server).get('/things/7?secret=1').set('X-Request-Id', 'abc').expect(200);
      const entry = tiny.log.find(({ request_id }) => request_id === 'abc');
      expect(entry).toMatchObject({
        level: 'debug',
        context: 'Http',
        message: 'GET /things/7 200',
      });
      const { headers } = await request(server).get('/things/7').set('X-Request-Id', 'a b');
      expect(headers['x-request-id']).not.toBe('a b');
    });
  });

  function url(path: string): string {
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}${path}`;
  }
});
