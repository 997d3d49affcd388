import { compileGlob, escapeGlob } from './glob.js';

describe(compileGlob.name, () => {
  it.each<[string, string[], string[]]>([
    ['src/**', ['src/a', 'src/a/b.ts', 'src/.env'], ['src', 'srcs/a', 'a/src/b']],
    ['**/*.ts', ['a.ts', 'a/b.ts', 'a/b/c.ts'], ['a.tsx', 'a/b']],
    ['*.ts', ['a.ts', '.ts'], ['a/b.ts']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['ab', 'a/xb']],
    ['a?c', ['abc'], ['ac', 'a/c']],
    ['[a-c]x', ['ax', 'cx'], ['dx']],
    ['[!a]x', ['bx'], ['ax', '/x']],
    ['[^a]x', ['bx'], ['ax', '/x']],
    ['{a,b/*}.ts', ['a.ts', 'b/c.ts'], ['c.ts', 'b.ts']],
    ['mcp__*', ['mcp__x', 'mcp__a_b'], ['mcp_x', 'xmcp__a']],
    ['a.b', ['a.b'], ['axb']],
    ['a\\*b', ['a*b'], ['axb']],
    ['(a|b)+$', ['(a|b)+$'], ['a']],
    ['*', ['a b', 'ä', 'a\nb'], ['a/b']],
  ])('%s', (pattern, matching, others) => {
    const glob = compileGlob(pattern);
    for (const text of matching) expect([text, glob.covers(text)]).toEqual([text, true]);
    for (const text of others) expect([text, glob.covers(text)]).toEqual([text, false]);
  });

  it.each(['{a', 'a}', '{a,{b}'])('refuses %s', (pattern) => {
    expect(() => compileGlob(pattern)).toThrow('braces');
  });
});

describe(escapeGlob.name, () => {
  it.each(['a*b', 'a?[b]{c,d}', 'a\\b', 'plain/path.ts'])('matches exactly %s', (text) => {
    expect(compileGlob(escapeGlob(text)).covers(text)).toBe(true);
    expect(compileGlob(escapeGlob(text)).covers(`${text}x`)).toBe(false);
  });
});
