import { toolName } from './tool-name.js';

describe(toolName.name, () => {
  it('names the server and the tool', () => {
    expect(toolName('files', 'read_text')).toBe('mcp__files__read_text');
  });

  it('makes every name one that all vendors take, and keeps different tools apart', () => {
    const long = 'x'.repeat(100);
    const names = [`${long}1`, `${long}2`, 'a.b', 'a/b', 'a_b', ''].map((tool) =>
      toolName('my server', tool),
    );
    for (const name of names) expect(name).toMatch(/^mcp__my_server__[A-Za-z0-9_-]*$/);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(64);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([[50], [60], [100]])('keeps servers apart whose names begin alike: %i', (length) => {
    const servers = ['a', 'b'].map((end) => 's'.repeat(length - 1) + end);
    for (const tool of ['search', 'a/b', 'x'.repeat(100)]) {
      const names = servers.map((server) => toolName(server, tool));
      expect(new Set(names).size).toBe(2);
      for (const name of names) expect(name.length).toBeLessThanOrEqual(64);
    }
  });
});
