import type { Socket } from 'node:net';
import { jest } from '@jest/globals';
import type { AbstractConnector } from 'ioredis';
import { Connections } from './connections.js';

/** The stream of an open connection that adds each reason for its replacement to `reasons`. */
async function connect(connections: Connections, reasons: string[]): Promise<Socket> {
  const { Connector } = connections.options(({ message }) => reasons.push(message));
  const connector: AbstractConnector = new Connector!({ path: '/none' });
  const stream = await connector.connect(() => {});
  stream.emit('connect');
  return stream;
}

describe(Connections.name, () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick'] }));
  afterEach(() => void jest.useRealTimers());

  it('replaces all that are open, and pauses before it does so again', async () => {
    const connections = Connections.to('redis://pause');
    const [one, two, closed, other]: string[][] = [[], [], [], []];
    await connect(connections, one!);
    await connect(Connections.to('redis://pause'), two!);
    (await connect(connections, closed!)).emit('close');
    await connect(Connections.to('redis://other'), other!);
    connections.replace('first');
    connections.replace('second');
    jest.advanceTimersByTime(9_000);
    connections.replace('third');
    jest.advanceTimersByTime(2_000);
    connections.replace('fourth');
    expect([one, two]).toEqual([
      ['first', 'fourth'],
      ['first', 'fourth'],
    ]);
    expect([closed, other]).toEqual([[], []]);
  });

  it('keeps the connections after error replies of other kinds', () => {
    const connections = Connections.to('redis://errors');
    const replace = jest.spyOn(connections, 'replace');
    const { reconnectOnError } = connections.options(() => {});
    for (const message of ['NOPERM no', 'OOM full', 'READONLY no'])
      expect(reconnectOnError!(new Error(message))).toBe(false);
    expect(replace).toHaveBeenCalledTimes(1);
  });
});
