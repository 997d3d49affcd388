import { eventually } from '../support/eventually.js';
import { ServerProcess } from '../support/server/server-process.js';

describe('Warnings of Node and of packages', () => {
  it('are lines of the log, also those of the start', async () => {
    const DATABASE_URL = 'postgres://me:s3cret@127.0.0.1:9/chats?sslmode=require';
    const server = await ServerProcess.spawn({ DATABASE_URL });
    await eventually(() => server.output.includes('SSL modes'));
    await server.kill('SIGKILL');
    const [line] = server.output.split('\n').filter((text) => text.includes('SSL modes'));
    expect(JSON.parse(line!)).toMatchObject({
      level: 'warn',
      context: 'Node',
      message: expect.stringMatching(/^Warning: SECURITY WARNING: The SSL modes/) as string,
    });
    expect(server.output).not.toContain('(node:');
  });
});
