import { readFileSync } from 'node:fs';
import type { Servers } from '../servers.js';

const KNOWN_MODELS = {
  MODEL: 'openai/fake,demo/script',
  MODEL_CONTEXTS: '{"openai/fake-large": 400000, "none/unserved": 1000}',
  MODEL_IMAGES: 'openai/fake-seeing,demo/*',
  MODEL_PRICES: '{"openai/fake": {"input": 1, "output": 2}}',
};

const OPERATIONS = [
  'get /agent-types',
  'get /chats',
  'get /chats/{chat_id}',
  'get /chats/{chat_id}/interactions/{interaction_id}',
  'get /chats/{chat_id}/interactions/{interaction_id}/events',
  'get /health/live',
  'get /health/ready',
  'get /models',
  'get /tools',
  'delete /chats/{chat_id}',
  'patch /chats/{chat_id}',
  'post /chats',
  'post /chats/{chat_id}/interactions',
];

export function describeSurface(servers: Servers): void {
  describe('A client that looks around', () => {
    servers.run({}, (server) => {
      it('finds the tools with what they take', async () => {
        const { status, body } = await server.api.get('/tools');
        expect(status).toBe(200);
        expect(body.items).toEqual(
          expect.arrayContaining(
            ['calculator', 'current_time'].map((name) =>
              expect.objectContaining({
                name,
                description: expect.stringMatching(/\w/),
                input_schema: expect.objectContaining({ type: 'object' }),
              }),
            ),
          ),
        );
      });

      it('finds the kinds of agents', async () => {
        const { status, body } = await server.api.get('/agent-types');
        expect(status).toBe(200);
        expect(body.items).toContainEqual({
          name: 'react',
          description: expect.stringMatching(/\w/),
          ...{ source: null, model: null, max_iterations: null },
        });
        expect(body.faults).toEqual([]);
      });

      it.each([
        ['/health/live', { status: 'ok' }],
        [
          '/health/ready',
          {
            status: 'ok',
            version: (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string })
              .version,
            sandbox: { kind: expect.any(String), description: expect.any(String) },
            tool_servers: [],
          },
        ],
      ])('finds the server well at %s', async (path, expected) => {
        const { status, body } = await server.api.get(path);
        expect(status).toBe(200);
        expect(body).toEqual(expected);
      });

      it('finds every operation described, with what it answers', async () => {
        const { status, body } = await server.api.get('/docs-json');
        expect(status).toBe(200);
        expect(body.openapi).toMatch(/^3\./);
        const paths: Record<string, Record<string, object>> = body.paths;
        const described = Object.entries(paths).flatMap(([path, methods]) =>
          Object.entries(methods).map(([method, operation]) => ({
            name: `${method} ${path}`,
            operation,
          })),
        );
        expect(described.map(({ name }) => name)).toEqual(expect.arrayContaining(OPERATIONS));
        for (const { operation } of described)
          expect(operation).toMatchObject({
            summary: expect.stringMatching(/\w/),
            responses: { default: expect.anything() },
          });
      });

      it('finds a page on which to try them', async () => {
        const { status, headers, body } = await server.api.get('/docs');
        expect(status).toBe(200);
        expect(headers.get('content-type')).toMatch('text/html');
        expect(body).toContain('swagger-ui');
      });

      it.each([
        ['PUT', '/chats/some', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
        ['DELETE', '/chats', 'GET, HEAD, OPTIONS, POST'],
        ['GET', '/chats/some/interactions/int_1/cancel', 'OPTIONS, POST'],
        ['POST', '/health/live?a=b', 'GET, HEAD, OPTIONS'],
      ])('is told what is possible where %s is not: %s', async (method, path, allow) => {
        const url = `${server.api.url}${path}`;
        const response = await fetch(url, { method, headers: server.api.headers });
        expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
        expect(response.headers.get('content-type')).toMatch('application/problem+json');
        const problem = { type: '/problems/method_not_allowed', status: 405 };
        expect(await response.json()).toMatchObject(problem);
        const options = await fetch(url, { method: 'OPTIONS', headers: server.api.headers });
        expect([options.status, options.headers.get('allow')]).toEqual([204, allow]);
      });

      it.each(['PUT', 'OPTIONS'])(
        'finds nothing at a path that there is not: %s',
        async (method) => {
          const response = await fetch(`${server.api.url}/nowhere`, {
            method,
            headers: server.api.headers,
          });
          expect([response.status, response.headers.get('allow')]).toEqual([404, null]);
        },
      );

      it('is refused under a name that is not the host, as a page of another site would be', async () => {
        const { port } = new URL(server.api.url);
        const { request } = await import('node:http');
        const status = await new Promise((resolve, reject) =>
          request({ port, host: '127.0.0.1', path: '/chats', headers: { host: 'evil.example' } })
            .on('response', (response) => resolve(response.resume().statusCode))
            .on('error', reject)
            .end(),
        );
        expect(status).toBe(403);
      });
    });

    servers.run(KNOWN_MODELS, (server) => {
      it('finds the models that are known, and whose others there are', async () => {
        const { status, body } = await server.api.get('/models');
        expect(status).toBe(200);
        const { items, ...rest } = body;
        expect(rest).toEqual({ providers: ['openai', 'demo'], has_more: false });
        const about = { agents: [], is_default: false, sees_images: false, price: null };
        const other = { ...about, context_tokens: 128_000 };
        const price = { input: 1, output: 2 };
        expect(items).toEqual([
          { ...other, model: 'openai/fake', provider: 'openai', is_default: true, price },
          { ...other, model: 'demo/script', provider: 'demo', is_default: true, sees_images: true },
          { ...about, model: 'openai/fake-large', provider: 'openai', context_tokens: 400_000 },
          { ...other, model: 'openai/fake-seeing', provider: 'openai', sees_images: true },
        ]);
      });
    });
  });
}
