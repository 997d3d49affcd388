import { StdioTransport } from '../../src/mcp/process/stdio-transport.js';

const PROGRAM = `
  const message = (n, text) => JSON.stringify({ jsonrpc: '2.0', method: 'said', params: { n, text } });
  const long = 'x'.repeat(3 * 1024 * 1024);
  const lines = [message(1, long), '', 'odd', message(2, ''), '{}', message(3, long)];
  process.stdout.write(lines.join('\\n') + '\\n');
`;

describe(StdioTransport.name, () => {
  it('hands out all messages in order before it tells the end of their program', async () => {
    const transport = new StdioTransport({
      command: process.execPath,
      args: ['-e', PROGRAM],
      maxBufferSize: 4 * 1024 * 1024,
    });
    const seen: unknown[] = [];
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    transport.onmessage = (message) =>
      seen.push((message as { params?: { n: number } }).params?.n ?? message);
    transport.onerror = ({ name }) => seen.push(name);
    await transport.start();
    await closed;
    expect(seen).toEqual([1, 'SyntaxError', 2, 'ZodError', 3]);
  });
});
