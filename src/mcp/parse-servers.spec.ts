import { parseServers } from './parse-servers.js';

const VARIABLES: Readonly<Record<string, string>> = { TOKEN: 's3cret', HOST: 'example.test' };

function parse(mcpServers: unknown) {
  const text = JSON.stringify({ mcpServers });
  return parseServers(text, { path: 'mcp.json', variable: (name) => VARIABLES[name] });
}

describe(parseServers.name, () => {
  it('reads programs and addresses, with what variables stand for', () => {
    const { servers, faults } = parse({
      files: {
        command: 'npx',
        args: ['-y', '${HOST}'],
        env: { KEY: '${TOKEN}' },
        cwd: '/srv',
        trust: true,
      },
      remote: {
        type: 'http',
        url: 'https://${HOST}/mcp',
        headers: { Authorization: 'Bearer ${TOKEN}' },
        alwaysAllow: ['x'],
      },
      bare: { url: 'http://${NOBODY:-localhost}:1/mcp' },
      off: { command: '${NOBODY}', disabled: true },
    });
    expect(faults).toEqual([]);
    expect(servers).toEqual([
      {
        kind: 'stdio',
        name: 'files',
        trust: true,
        command: 'npx',
        args: ['-y', 'example.test'],
        env: { KEY: 's3cret' },
        cwd: '/srv',
      },
      {
        kind: 'http',
        name: 'remote',
        trust: false,
        url: new URL('https://example.test/mcp'),
        headers: { Authorization: 'Bearer s3cret' },
      },
      {
        ...{ kind: 'http', name: 'bare', trust: false, headers: {} },
        url: new URL('http://localhost:1/mcp'),
      },
    ]);
  });

  it.each([
    [{ a: {} }, 'mcp.json mcpServers.a', /needs a "command".*or a "url"/],
    [{ a: { command: 'x', url: 'http://x' } }, 'mcp.json mcpServers.a', /"command" and a "url"/],
    [{ a: { command: 'x', trust: 'yes' } }, 'mcp.json mcpServers.a.trust', /boolean/],
    [{ a: { command: 1 } }, 'mcp.json mcpServers.a.command', /string/],
    [{ a: { url: 'ftp://x' } }, 'mcp.json mcpServers.a.url', /http:\/\/ or https:\/\//],
    [{ a: { type: 'sse', url: 'http://x' } }, 'mcp.json mcpServers.a.type', /stdio or http/],
    [{ a: { command: '${NOBODY}' } }, 'mcp.json mcpServers.a.command', /NOBODY, which is not set/],
    [{ 'a b': { command: 'x' }, a_b: { command: 'y' } }, 'mcp.json mcpServers.a_b', /"a b"/],
    [{ a: { command: 'x' }, a__b: { command: 'y' } }, 'mcp.json mcpServers.a__b', /"a"/],
    [{ a_: { command: 'x' }, a: { command: 'y' } }, 'mcp.json mcpServers.a', /"a_"/],
    [[], 'mcp.json', /mcpServers/],
  ])('names the place of a fault: %j', (mcpServers, variable, problem) => {
    expect(parse(mcpServers).faults).toEqual([
      { variable, problem: expect.stringMatching(problem) as string },
    ]);
  });

  it.each(['stdio', 'http'])('takes the %s of a command and a URL if its type says so', (type) => {
    const { servers, faults } = parse({ a: { type, command: 'x', url: 'http://x' } });
    expect([servers, faults]).toMatchObject([[{ kind: type }], []]);
  });

  it('says that a file is not JSON', () => {
    const { faults } = parseServers('{', { path: 'mcp.json', variable: () => undefined });
    expect(faults).toEqual([
      { variable: 'mcp.json', problem: expect.stringMatching(/is not JSON/) as string },
    ]);
  });

  it('tells every fault, and no secret', () => {
    const { faults } = parse({ a: {}, b: { url: 'x${TOKEN}' } });
    expect(faults).toHaveLength(2);
    expect(JSON.stringify(faults)).not.toContain('s3cret');
  });
});
