import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Test } from '@nestjs/testing';
import { AppConfigModule } from '../../src/config/config.module.js';
import { loadConfig } from '../../src/config/load-config.js';
import { ModelRegistry } from '../../src/models/model-registry.js';
import { ModelsModule } from '../../src/models/models.module.js';

describe('HTTPS_PROXY', () => {
  const asked: (string | undefined)[] = [];
  const proxy = http.createServer().on('connect', (request, client) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
    client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });

  it.each(['openai', 'anthropic'])('is asked for a tunnel to the API of %s', async (vendor) => {
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const config = loadConfig({
      HTTPS_PROXY: `http://me:pass@127.0.0.1:${port}`,
      [`${vendor.toUpperCase()}_BASE_URL`]: `https://${vendor}.invalid`,
      [`${vendor.toUpperCase()}_API_KEY`]: 'key',
    });
    const imports = [AppConfigModule.of(config), ModelsModule];
    const module = await Test.createTestingModule({ imports }).compile();
    const [{ provider, model }] = module.get(ModelRegistry).resolve();
    const turn = provider.stream(
      { model, messages: [{ role: 'user', content: 'Hi' }] },
      AbortSignal.timeout(10_000),
    );
    await expect(turn[Symbol.asyncIterator]().next()).rejects.toMatchObject({ retryable: true });
    const credentials = Buffer.from('me:pass').toString('base64');
    expect(asked.splice(0)).toEqual([`${vendor}.invalid:443 Basic ${credentials}`]);
    proxy.close();
    await once(proxy, 'close');
  });
});
