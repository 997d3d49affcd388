import { EventEmitter } from 'node:events';
import { Reflector } from '@nestjs/core';
import type { ExecutionContext } from '@nestjs/common';
import type { Principal, Scope } from '../auth/principal.js';
import { Access, AlsoNeeds } from '../auth/access.decorator.js';
import { AccessGuard } from './access.guard.js';
import type { Refusals } from './refusals.js';

class Undeclared {
  route(): void {}
}

@Access('chat')
class Declared {
  route(): void {}

  @Access('admin')
  strict(): void {}

  @Access('public')
  open(): void {}

  @Access('chat', 'operate')
  either(): void {}

  @AlsoNeeds('decide', ({ body }) => body.mode === 'auto')
  some(): void {}
}

interface Ask {
  readonly scopes?: readonly Scope[];
  readonly body?: object;
}

const guard = new AccessGuard(new Reflector(), {} as Refusals);

function ask(type: new () => object, route: string, { scopes, body = {} }: Ask): boolean {
  const principal = scopes && ({ scopes: new Set(scopes) } as unknown as Principal);
  const context = {
    getClass: () => type,
    getHandler: () => (type.prototype as Record<string, () => void>)[route],
    switchToHttp: () => ({
      getRequest: () => ({ principal, body, route: {} }),
      getResponse: () => new EventEmitter(),
    }),
  };
  return guard.canActivate(context as unknown as ExecutionContext);
}

const refused = (code: string, extra: object = {}) => expect.objectContaining({ code, extra });

describe(AccessGuard.name, () => {
  it('denies a route that does not say who may call it', () => {
    const scopes = ['chat', 'decide', 'operate', 'admin'] as const;
    expect(() => ask(Undeclared, 'route', { scopes })).toThrow(refused('undeclared_access'));
  });

  it('needs the scope of the route, before that of its controller', () => {
    expect(ask(Declared, 'route', { scopes: ['chat'] })).toBe(true);
    expect(() => ask(Declared, 'route', { scopes: ['admin'] })).toThrow(
      refused('missing_scope', { scope: 'chat' }),
    );
    expect(ask(Declared, 'strict', { scopes: ['admin'] })).toBe(true);
    expect(() => ask(Declared, 'strict', { scopes: ['chat'] })).toThrow(
      refused('missing_scope', { scope: 'admin' }),
    );
  });

  it('needs a principal, unless the route is public', () => {
    expect(() => ask(Declared, 'route', {})).toThrow(refused('unauthenticated'));
    expect(ask(Declared, 'open', {})).toBe(true);
  });

  it('needs one of several scopes', () => {
    expect(ask(Declared, 'either', { scopes: ['operate'] })).toBe(true);
    expect(ask(Declared, 'either', { scopes: ['chat'] })).toBe(true);
    expect(() => ask(Declared, 'either', { scopes: ['decide'] })).toThrow(
      expect.objectContaining({ message: expect.stringContaining('"chat" or "operate"') }),
    );
  });

  it('needs another scope for some requests', () => {
    const auto = { scopes: ['chat'], body: { mode: 'auto' } } as const;
    expect(() => ask(Declared, 'some', auto)).toThrow(
      refused('missing_scope', { scope: 'decide' }),
    );
    expect(ask(Declared, 'some', { ...auto, scopes: ['chat', 'decide'] })).toBe(true);
    expect(ask(Declared, 'some', { scopes: ['chat'] })).toBe(true);
  });
});
