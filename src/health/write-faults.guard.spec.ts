import { EventEmitter } from 'node:events';
import type { ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import type { StoreHealth } from '../event-log/store-health.js';
import { rememberProblem } from '../http/errors/problem-of.js';
import { WriteFaultsGuard } from './write-faults.guard.js';

describe(WriteFaultsGuard.name, () => {
  function noted(method: string, code?: string, unreachableSince?: Date): number {
    let faults = 0;
    const store = { unreachableSince, noteNotWritten: () => faults++ };
    const emitter = Object.assign(new EventEmitter(), { req: { method } });
    const response = emitter as unknown as Response;
    const context = { switchToHttp: () => ({ getResponse: () => response }) };
    const guard = new WriteFaultsGuard(store as unknown as StoreHealth);
    expect(guard.canActivate(context as unknown as ExecutionContext)).toBe(true);
    const rest = { title: '', status: 503, detail: 'Full.', instance: '/' };
    if (code) rememberProblem(response, { type: `/problems/${code}`, ...rest });
    emitter.emit('close');
    return faults;
  }

  it('reports what the store did not save', () => {
    expect([noted('POST', 'store_unavailable'), noted('DELETE', 'store_unavailable')]).toEqual([
      1, 1,
    ]);
  });

  it('reports no read, no other fault, no success, and nothing twice', () => {
    expect(noted('GET', 'store_unavailable')).toBe(0);
    expect([noted('POST', 'chat_busy'), noted('POST')]).toEqual([0, 0]);
    expect(noted('POST', 'store_unavailable', new Date())).toBe(0);
  });
});
