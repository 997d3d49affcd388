import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Body,
  Catch,
  Controller,
  ForbiddenException,
  Get,
  Injectable,
  Logger,
  Module,
  Post,
} from '@nestjs/common';
import type {
  ArgumentsHost,
  CanActivate,
  ExceptionFilter,
  INestApplication,
  MiddlewareConsumer,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Response } from 'express';
import { MountedServer } from '../../src/app/mounted-server.js';
import { ParleyServer } from '../../src/app/parley-server.js';
import type { Environment } from '../../src/config/load-config.js';
import { ParleyModule } from '../../src/parley.module.js';

const ADMIN_KEY = 'an-admin-key-of-the-tests-0123456789';

@Injectable()
class Orders {
  readonly asked: string[] = [];
}

@Module({ providers: [Orders], exports: [Orders] })
class OrdersModule {}

@Controller('orders')
class OrdersController {
  constructor(private readonly parley: ParleyServer) {}

  @Get()
  list(): string[] {
    return ['bread'];
  }

  @Post()
  add(@Body() body: Record<string, unknown>): object {
    return { got: body };
  }

  @Post('ask')
  async ask(): Promise<object> {
    const { id } = await this.parley.start('orders', { user_message: 'What is 6*7?' });
    for await (const _ of this.parley.follow('orders', id));
    return { answer: (await this.parley.get('orders', id)).answer };
  }

  @Get('none')
  none(): never {
    throw new ForbiddenException('not yours');
  }
}

/** Of the host: sees its own routes only. */
class HostGuard implements CanActivate {
  static seen = 0;
  canActivate(): boolean {
    HostGuard.seen++;
    return true;
  }
}

@Catch()
class HostFilter implements ExceptionFilter {
  catch(error: Error, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const status = 'getStatus' in error ? (error as ForbiddenException).getStatus() : 500;
    response.status(status).json({ host: error.message });
  }
}

describe(ParleyModule.name, () => {
  let folder: string;
  let count = 0;
  const apps: INestApplication[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-module-'));
  });
  afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())));
  afterAll(() => rm(folder, { recursive: true }));

  async function host(env: Environment = {}, path?: string): Promise<INestApplication> {
    const data = join(folder, `${count++}`);
    @Module({
      imports: [
        ParleyModule.forRootAsync({
          ...(path !== undefined && { path }),
          imports: [OrdersModule],
          inject: [Orders],
          useFactory: async ({ asked }: Orders) => {
            asked.push('for options');
            const environment = {
              ...{ HOST: '127.0.0.1', STORE: 'file', SYSTEM_PROMPT_FILE: '/dev/null' },
              ...{
                DATA_DIR: data,
                WORKSPACE_DIR: `${data}-work`,
                CORS_ORIGINS: 'http://page.test',
              },
              ...env,
            };
            return { environment };
          },
        }),
      ],
      controllers: [OrdersController],
      providers: [
        { provide: APP_GUARD, useClass: HostGuard },
        { provide: APP_FILTER, useClass: HostFilter },
      ],
    })
    class HostModule {}
    const app = await NestFactory.create(HostModule, { logger: false, abortOnError: false });
    app.setGlobalPrefix('api');
    SwaggerModule.setup('docs', app, () =>
      SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('Host').build()),
    );
    await app.listen(0, '127.0.0.1');
    apps.push(app);
    return app;
  }

  /** Sends a request as a client of the host. */
  async function client(app: INestApplication) {
    const url = await app.getUrl();
    return (path: string, init?: RequestInit) => fetch(`${url}${path}`, init);
  }

  const json = (body: object, headers: Record<string, string> = {}): RequestInit => ({
    ...{ method: 'POST', body: JSON.stringify(body) },
    headers: { 'content-type': 'application/json', ...headers },
  });
  const start = (body: object = {}) => json({ user_message: 'What is 6*7?', ...body });

  it('leaves the routes of the application as they are', async () => {
    const send = await client(await host({ AUTH: 'keys', ADMIN_KEY }));
    const listed = await send('/api/orders');
    expect(await listed.json()).toEqual(['bread']);
    for (const header of ['x-request-id', 'x-frame-options', 'vary'])
      expect(listed.headers.get(header)).toBeNull();
    const form = new URLSearchParams({ name: 'milk' });
    const posted = await send('/api/orders', { method: 'POST', body: form });
    expect(await posted.json()).toEqual({ got: { name: 'milk' } });
    expect(await (await send('/api/orders/none')).json()).toEqual({ host: 'not yours' });
    const unknown = await send('/api/chats');
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { host: 'Cannot GET /api/chats' },
    ]);
    const crossing = { origin: 'http://evil.test' };
    expect((await send('/api/orders', json({}, crossing))).status).toBe(201);
    const large = await send('/api/orders', json({ text: 'x'.repeat(200_000) }));
    expect(await large.json()).toEqual({ host: 'request entity too large' });
  });

  it('has its own routes below its path, with all that protects them', async () => {
    const send = await client(await host());
    const seen = HostGuard.seen;
    const streamed = await send('/parley/chats/c/interactions', start());
    expect(streamed.headers.get('content-type')).toMatch('text/event-stream');
    expect(await streamed.text()).toMatch(/event: interaction_complete/);
    const location = streamed.headers.get('location');
    expect(location).toMatch(/^\/parley\/chats\/c\/interactions\/int_[^/]+\/events$/);
    expect(await (await send(location!)).text()).toMatch(/event: interaction_complete/);
    const none = await send('/parley/chats/none');
    expect(none.headers.get('content-type')).toMatch('application/problem+json');
    expect(await none.json()).toMatchObject({
      type: '/problems/chat_not_found',
      instance: '/parley/chats/none',
    });
    expect(await (await send('/parley/nowhere')).json()).toMatchObject({
      detail: 'There is no GET /parley/nowhere. See /parley/docs for the API.',
    });
    const long = await send('/parley/chats/c/interactions', start({ odd: 'x'.repeat(200_000) }));
    expect(await long.json()).toMatchObject({ errors: [{ field: 'odd' }] });
    const crossing = await send('/parley/chats', json({}, { origin: 'http://evil.test' }));
    expect(await crossing.json()).toMatchObject({ type: '/problems/cross_site_request' });
    const preflight = await send('/parley/chats', {
      method: 'OPTIONS',
      headers: { origin: 'http://page.test', 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe('http://page.test');
    expect(HostGuard.seen).toBe(seen);
  });

  it('asks for credentials on its own routes, and takes tickets for their paths', async () => {
    const send = await client(await host({ AUTH: 'keys', ADMIN_KEY }));
    const key = { authorization: `Bearer ${ADMIN_KEY}` };
    const refused = await send('/parley/chats');
    expect(await refused.json()).toMatchObject({ status: 401, type: '/problems/unauthenticated' });
    const begun = await send('/parley/chats/c/interactions', {
      ...start(),
      headers: { ...key, 'content-type': 'application/json', accept: 'application/json' },
    });
    const location = begun.headers.get('location')!;
    for (const path of [location, location.replace('/parley', '')]) {
      const issued = await send('/parley/stream-tickets', json({ path }, key));
      const { ticket } = (await issued.json()) as { ticket: string };
      const stream = await send(`${location}?ticket=${ticket}`);
      expect(await stream.text()).toMatch(/event: interaction_complete/);
      const again = await send(`${location}?ticket=${ticket}`);
      expect(await again.json()).toMatchObject({ status: 401, instance: location });
    }
  });

  it('keeps its API document apart from that of the application', async () => {
    const send = await client(await host());
    const { info, paths } = (await (await send('/docs-json')).json()) as OpenAPIObject;
    expect(info.title).toBe('Host');
    expect(Object.keys(paths)).toEqual(['/api/orders', '/api/orders/ask', '/api/orders/none']);
    const own = (await (await send('/parley/docs-json')).json()) as OpenAPIObject;
    expect(own.servers).toEqual([{ url: '/parley' }]);
    expect(Object.keys(own.paths)).toContain('/chats/{chat_id}/interactions');
    expect(own.paths).not.toHaveProperty('/orders');
    expect((await send('/parley/docs')).status).toBe(200);
    expect((await send('/parley/docs/swagger-ui.css')).status).toBe(200);
  });

  it('is there for the code of the application', async () => {
    const app = await host();
    const send = await client(app);
    const answer = await send('/api/orders/ask', { method: 'POST' });
    expect(await answer.json()).toEqual({ answer: expect.stringContaining('42') as string });
    expect(app.get(Orders, { strict: false }).asked).toEqual(['for options']);
    expect(app.get(ParleyServer, { strict: false }).url).toBeUndefined();
  });

  it('shuts down with the application', async () => {
    const app = await host();
    const server = app.get(ParleyServer, { strict: false });
    const send = await client(app);
    const question = 'ask me which colour I like: red, green or blue';
    const open = await send('/parley/chats/c/interactions', start({ user_message: question }));
    await app.close();
    expect(await open.text()).not.toMatch('interaction_complete');
    expect(server.isClosed).toBe(true);
  });

  it('leaves the other paths to the application, at the root', async () => {
    const send = await client(await host({}, '/'));
    expect(await (await send('/chats/none')).json()).toMatchObject({ instance: '/chats/none' });
    expect((await send('/chats/c', { method: 'PUT' })).headers.get('allow')).toMatch('GET');
    expect(await (await send('/api/orders')).json()).toEqual(['bread']);
    expect(await (await send('/api/chats')).json()).toEqual({ host: 'Cannot GET /api/chats' });
    expect(await (await send('/nowhere')).text()).toMatch('Cannot GET /nowhere');
    expect((await send('/console/')).headers.get('content-type')).toMatch('text/html');
    const page = await send('/', { headers: { accept: 'text/html' } });
    expect(await page.text()).toMatch('Cannot GET /');
  });

  it('leads browsers from its path to its console', async () => {
    const send = await client(await host());
    for (const path of ['/parley', '/parley/', '/parley/console']) {
      const page = await send(path, { headers: { accept: 'text/html' } });
      expect(new URL(page.url).pathname).toBe('/parley/console/');
      expect(await page.text()).toMatch('<title>Parley</title>');
    }
  });

  it('has no console with UI=false', async () => {
    const send = await client(await host({ UI: 'false' }, '/'));
    expect(await (await send('/console/')).text()).toMatch('Cannot GET /console/');
  });

  it('does not begin with variables that are wrong', async () => {
    await expect(host({ MIGRATE: 'maybe', MAX_STREAMS: 'x' })).rejects.toMatchObject({
      faults: [{ variable: 'MIGRATE' }, { variable: 'MAX_STREAMS' }],
    });
    await expect(host({ HOST: '' })).rejects.toMatchObject({ faults: [{ variable: 'AUTH' }] });
    for (const path of ['parley', '/a/', '/:id', '/a b', ''])
      expect(() => ParleyModule.forRootAsync({ path, useFactory: () => never() })).toThrow(/path/);
  });

  it('does not go into an application that is not on Express', () => {
    const module = new ParleyModule({} as MountedServer);
    const consumer = { getHttpAdapter: () => ({ getType: () => 'fastify' }) };
    expect(() => module.configure(consumer as unknown as MiddlewareConsumer)).toThrow(/Express/);
  });
});

function never(): never {
  throw new Error('not called');
}

afterAll(() => Logger.overrideLogger(false));
