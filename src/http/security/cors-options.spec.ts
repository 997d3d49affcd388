import type { Server } from 'node:http';
import request from 'supertest';
import { startTinyApp } from '../../../test/support/server/tiny-app.js';
import type { TinyApp } from '../../../test/support/server/tiny-app.js';
import { corsOptions } from './cors-options.js';

const APP = 'https://app.example';
const TAURI = 'tauri://localhost';
const OTHERS = [
  'https://evil.example',
  'http://app.example',
  `${APP}:8443`,
  `${APP}.evil.example`,
  'evil://localhost',
];

describe(corsOptions.name, () => {
  let tiny: TinyApp;
  let server: Server;

  beforeAll(async () => {
    tiny = await startTinyApp({ CORS_ORIGINS: ['http://localhost:5173', APP, TAURI].join(', ') });
    server = tiny.app.getHttpServer();
  });
  afterAll(() => tiny.app.close());

  const preflight = (origin: string) =>
    request(server)
      .options('/things')
      .set({ Origin: origin, 'Access-Control-Request-Method': 'POST' });

  it.each([APP, 'http://localhost:5173', TAURI])('answers a preflight of %s', async (origin) => {
    const { headers } = await preflight(origin).expect(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET,POST,PATCH,DELETE',
      'access-control-max-age': '600',
      vary: expect.stringContaining('Origin'),
    });
    expect(headers['access-control-allow-headers']!.split(',')).toEqual(
      expect.arrayContaining([
        ...['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID', 'X-API-Key'],
        ...['If-None-Match', 'If-Range', 'Range'],
        ...['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id'],
      ]),
    );
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('allows the headers by which OpenAI’s clients describe themselves, and no others', async () => {
    const asked =
      'authorization, x-stainless-os,X-Stainless-Runtime-Version, x-other, x-stainless-';
    const { headers } = await preflight(APP)
      .set('Access-Control-Request-Headers', asked)
      .expect(204);
    const allowed = headers['access-control-allow-headers']!.split(',');
    expect(allowed).toEqual(
      expect.arrayContaining(['x-stainless-os', 'x-stainless-runtime-version']),
    );
    expect(allowed.filter((name) => /other|stainless-$/.test(name))).toEqual([]);
  });

  it('lets a page change things and read the answer, also a refusal', async () => {
    const post = (body: object) => request(server).post('/things').set('Origin', APP).send(body);
    for (const [body, status] of [
      [{ name: 'a' }, 201],
      [{}, 400],
    ] as const) {
      const { headers } = await post(body).expect(status);
      expect(headers).toMatchObject({
        'access-control-allow-origin': APP,
        'access-control-expose-headers': expect.stringMatching(/Location.*X-Request-Id/),
      });
      expect(headers['access-control-expose-headers']!.split(',')).toEqual(
        expect.arrayContaining(['Accept-Ranges', 'Content-Disposition', 'Content-Range', 'ETag']),
      );
    }
  });

  it.each([...OTHERS, 'null', APP.toUpperCase()])('tells %s nothing', async (origin) => {
    const answers = [
      await preflight(origin),
      await request(server).get('/things').set('Origin', origin).expect(200),
      await request(server).post('/things').set('Origin', origin).send({ name: 'a' }).expect(403),
    ];
    for (const { headers } of answers) {
      const names = Object.keys(headers).filter((name) => name.startsWith('access-control'));
      expect(names).toEqual([]);
    }
    expect(answers[2]!.body).toMatchObject({ type: '/problems/cross_site_request' });
  });

  it('gives no page anything unless origins are listed', async () => {
    const closed = await startTinyApp();
    const { headers } = await request(closed.app.getHttpServer())
      .options('/things')
      .set({ Origin: APP, 'Access-Control-Request-Method': 'POST' });
    expect(Object.keys(headers).join()).not.toContain('access-control');
    await closed.app.close();
  });
});
