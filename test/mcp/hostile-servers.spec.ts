import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { McpConnection } from '../../src/mcp/mcp-connection.js';
import { toolContext } from '../../src/testing/tool-context.js';
import { eventually } from '../support/eventually.js';
import { findProcesses } from '../support/server/find-processes.js';

const HOSTILE = join(import.meta.dirname, '../support/tools/mcp/hostile-server.mjs');
const METHOD_NOT_FOUND = -32_601;

describe('A hostile MCP server over stdio', () => {
  beforeAll(() => Logger.overrideLogger(false));

  let connection: McpConnection;
  beforeEach(async () => {
    connection = new McpConnection(
      {
        ...{ kind: 'stdio', name: 'hostile', trust: false },
        ...{ command: process.execPath, args: [HOSTILE], env: {} },
      },
      async () => null,
    );
    await connection.start();
    expect(connection.state).toMatchObject({ state: 'ready' });
  });
  afterEach(() => connection.stop());

  const call = async (name: string, args: Readonly<Record<string, unknown>> = {}) => {
    const { signal, output, cut } = toolContext();
    return (await connection.call(name, args, { signal, output, cut, mayRepeat: false })).text;
  };
  /** Of a process that no other one has. */
  const seconds = (): string => `3${Math.random().toString().slice(2, 10)}`;

  it('that asks and does not read gets few replies', async () => {
    const asked = Number(await call('flood'));
    expect(Number(await call('replies'))).toBeLessThan(asked / 2);
  });

  it('gets no answer of a person or a model, and no id back that is too long', async () => {
    expect(JSON.parse(await call('ask'))).toEqual({
      ...{ ask: METHOD_NOT_FOUND, sample: METHOD_NOT_FOUND, last: METHOD_NOT_FOUND },
    });
  });

  it('answers no call but those that it was sent, each once', async () => {
    expect(await call('confuse')).toBe('first');
    expect(await call('confuse')).toBe('first');
    expect(connection.state).toMatchObject({ state: 'ready' });
  });

  it('leaves no process behind when it ends', async () => {
    const sleep = seconds();
    await expect(call('leave', { seconds: sleep })).rejects.toThrow(/was lost while the call ran/);
    await eventually(async () => (await findProcesses(`sleep ${sleep}`)).length === 0);
  });

  it('leaves no process behind when it is stopped, and goes itself', async () => {
    const sleep = seconds();
    expect(await call('fork', { seconds: sleep })).toBe('forked');
    expect(await findProcesses(`sleep ${sleep}`)).toHaveLength(1);
    await connection.stop();
    expect(await findProcesses(`sleep ${sleep}`)).toEqual([]);
  });
});
