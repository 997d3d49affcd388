import { loadConfig } from './load-config.js';
import { describeProxy, proxyFor } from './proxy-for.js';

const HTTPS_PROXY = 'http://me:hush@proxy.lan:3128';
const API = 'https://api.openai.com/v1';

describe(proxyFor.name, () => {
  it.each([
    [API, '', HTTPS_PROXY],
    ['http://api.openai.com/v1', '', undefined],
    ['https://localhost:8443', '', undefined],
    ['https://127.0.0.1', '', undefined],
    ['https://[::1]/v1', '', undefined],
    [API, '*', undefined],
    [API, 'api.openai.com', undefined],
    [API, 'other.example, .OpenAI.com', undefined],
    [API, 'openai.com', undefined],
    [API, 'openai.com:443', undefined],
    [API, 'openai.com:8443', HTTPS_PROXY],
    [API, 'ai.com', HTTPS_PROXY],
    ['https://10.0.0.7:8443/v1', '10.0.0.7', undefined],
  ])('for %s without %j is %s', (url, NO_PROXY, proxy) => {
    expect(proxyFor(loadConfig({ HTTPS_PROXY, NO_PROXY }), url)).toBe(proxy);
    const inLowerCase = { https_proxy: HTTPS_PROXY, no_proxy: NO_PROXY };
    expect(proxyFor(loadConfig(inLowerCase), url)).toBe(proxy);
  });

  it('is none without HTTPS_PROXY', () => {
    expect(proxyFor(loadConfig({}), API)).toBeUndefined();
    expect(describeProxy(loadConfig({}))).toBeUndefined();
  });
});

describe(describeProxy.name, () => {
  it('tells the proxy and the exceptions, and no password', () => {
    const told = describeProxy(loadConfig({ HTTPS_PROXY, NO_PROXY: 'a.example' }));
    expect(told).toContain(
      'through http://proxy.lan:3128, except to loopback addresses and those of NO_PROXY: a.example.',
    );
    expect(told).not.toContain('hush');
  });
});
