import type { Request, Response } from 'express';
import { loadConfig } from '../../config/load-config.js';
import { AppError } from '../../kernel/app-error.js';
import { hostMiddleware } from './host.middleware.js';

interface Ask {
  readonly env?: Record<string, string>;
  readonly host?: string;
  readonly origin?: string;
  readonly method?: string;
  readonly url?: string;
}

/** The code of the refusal, or `passes`. */
function ask({
  env = {},
  host = 'localhost:3000',
  origin,
  method = 'POST',
  url = '/',
}: Ask): string {
  let answer = 'no answer';
  const request = { method, url, headers: { host, origin } } as unknown as Request;
  hostMiddleware(loadConfig({ AUTH: 'none', ...env }))(
    request,
    {} as Response,
    (error?: unknown) => {
      answer = error instanceof AppError ? error.code : 'passes';
    },
  );
  return answer;
}

describe(hostMiddleware.name, () => {
  it.each([
    'localhost',
    'LOCALHOST:80',
    'localhost.:1',
    '127.0.0.1:3000',
    '127.0.0.2',
    '[::1]:3000',
  ])('lets %s name a loopback server', (host) => expect(ask({ host })).toBe('passes'));

  it.each([
    'evil.example',
    'localhost.evil.example',
    'evil.example:80@127.0.0.1',
    '127.0.0.1/evil',
    '192.168.1.5:3000',
    '',
    ' ',
    '[::2]',
    '127.0.0.1.nip.io',
  ])('refuses %j for a loopback server', (host) => expect(ask({ host })).toBe('unknown_host'));

  it('goes by a URL in the place of a path', () => {
    expect(ask({ url: 'http://evil.example/chats' })).toBe('unknown_host');
    expect(ask({ url: 'HTTP://evil.example?/' })).toBe('unknown_host');
    expect(ask({ url: 'http://localhost:3000/chats', host: 'evil.example' })).toBe('passes');
    expect(ask({ url: 'http://user@localhost/' })).toBe('unknown_host');
  });

  it('refuses reading, too', () => {
    expect(ask({ host: 'evil.example', method: 'GET' })).toBe('unknown_host');
  });

  it.each([
    ['192.168.1.5:3000', 'passes'],
    ['[fd00::1]:3000', 'passes'],
    ['localhost:3000', 'passes'],
    ['127.0.0.1.nip.io', 'unknown_host'],
    ['parley.example', 'unknown_host'],
  ])('lets addresses name an open server, and no names: %s %s', (host, answer) => {
    expect(ask({ env: { HOST: '0.0.0.0' }, host })).toBe(answer);
    expect(ask({ env: { HOST: '::' }, host, method: 'GET' })).toBe(answer);
  });

  it('refuses a page whose name was rebound to the address of an open server', () => {
    const [host, origin] = ['evil.example:3000', 'http://evil.example:3000'];
    expect(ask({ env: { HOST: '0.0.0.0' }, host, origin })).toBe('unknown_host');
  });

  it('lets the name that it listens on name a server', () => {
    const env = { HOST: 'Parley.lan' };
    expect(ask({ env, host: 'parley.LAN:3000', origin: 'http://parley.lan:3000' })).toBe('passes');
    expect(ask({ env, host: 'parley.example' })).toBe('unknown_host');
  });

  it.each([
    ['parley.example', 'passes'],
    ['Parley.Example:8443', 'passes'],
    ['[fd00::1]:80', 'passes'],
    ['localhost:3000', 'passes'],
    ['evil.example', 'unknown_host'],
  ])('answers %s with %s where ALLOWED_HOSTS says who', (host, answer) => {
    const ALLOWED_HOSTS = 'parley.example,fd00::1';
    expect(ask({ env: { ALLOWED_HOSTS }, host })).toBe(answer);
    expect(ask({ env: { ALLOWED_HOSTS, HOST: '0.0.0.0' }, host })).toBe(answer);
  });

  it('lets any name pass on request', () => {
    expect(ask({ env: { ALLOWED_HOSTS: '*' }, host: 'x.example' })).toBe('passes');
  });

  it.each([
    ['http://localhost:3000', 'passes'],
    ['http://localhost:5173', 'passes'],
    ['http://127.0.0.1:3000', 'passes'],
    ['https://evil.example', 'cross_site_request'],
    ['null', 'cross_site_request'],
    ['file://', 'cross_site_request'],
  ])('answers a change from a page of %s with %s', (origin, answer) => {
    expect(ask({ origin })).toBe(answer);
    expect(ask({ origin, method: 'DELETE' })).toBe(answer);
  });

  it.each([
    'evil://localhost',
    'tauri://localhost',
    'capacitor://localhost',
    'ionic://127.0.0.1',
    'app://app.example',
    'ws://localhost:3000',
  ])('does not take %s, which is no web page, for one of its own', (origin) => {
    const env = { ALLOWED_HOSTS: 'app.example' };
    expect(ask({ env, origin })).toBe('cross_site_request');
    expect(ask({ env, origin, host: 'app.example' })).toBe('cross_site_request');
  });

  it('lets listed pages change things, whatever their scheme', () => {
    const env = { CORS_ORIGINS: 'tauri://localhost, app://obsidian.md' };
    expect(ask({ env, origin: 'tauri://localhost' })).toBe('passes');
    expect(ask({ env, origin: 'app://obsidian.md' })).toBe('passes');
    expect(ask({ env, origin: 'app://localhost' })).toBe('cross_site_request');
  });

  it('lets pages of others read, as far as browsers let them', () => {
    expect(ask({ origin: 'https://evil.example', method: 'GET' })).toBe('passes');
  });

  it('lets pages of allowed hosts change things, but not of any', () => {
    const origin = 'https://app.example';
    expect(ask({ env: { ALLOWED_HOSTS: 'app.example' }, origin })).toBe('passes');
    expect(ask({ env: { ALLOWED_HOSTS: '*' }, origin })).toBe('cross_site_request');
    expect(ask({ env: { HOST: '0.0.0.0' }, origin })).toBe('cross_site_request');
    const env = { HOST: '0.0.0.0' };
    expect(ask({ env, host: '10.0.0.1:80', origin: 'http://10.0.0.1' })).toBe('passes');
    expect(ask({ env, host: '10.0.0.1', origin: 'http://10.0.0.2' })).toBe('cross_site_request');
  });
});
