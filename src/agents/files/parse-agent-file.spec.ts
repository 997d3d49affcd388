import { parseAgentFile } from './parse-agent-file.js';

const file = (head: string, body = 'You review.') => `---\n${head}\n---\n\n${body}\n`;
const read = (text: string) => {
  const parsed = parseAgentFile(text, 'reviewer');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return parsed.definition;
};
const faultsOf = (text: string): string[] => {
  const parsed = parseAgentFile(text, 'reviewer');
  return parsed.ok ? [] : parsed.faults.map(({ line, message }) => `${line}: ${message}`);
};

describe(parseAgentFile.name, () => {
  it('reads an agent as other programs write it', () => {
    const text = file(
      'name: code-reviewer\ndescription: Reviews changes.\ntools: Read, Grep, mcp__github__*\nmodel: inherit\ncolor: red',
      '# You\n\nReview.\n\n---\n\nSlowly.',
    );
    expect(read(text)).toEqual({
      name: 'code-reviewer',
      description: 'Reviews changes.',
      tools: ['Read', 'Grep', 'mcp__github__*'],
      instructions: '# You\n\nReview.\n\n---\n\nSlowly.',
      permissions: [],
    });
  });

  it('is called as its file is, and may use every tool, unless it says otherwise', () => {
    const definition = read(file('description: Reviews.'));
    expect(definition).toMatchObject({ name: 'reviewer', instructions: 'You review.' });
    expect(definition).not.toHaveProperty('tools');
  });

  it('may use no tool at all', () => {
    expect(read(file('description: d\ntools: []')).tools).toEqual([]);
  });

  it('reads model, iterations and what is decided of tools', () => {
    const head = [
      'description: Reviews.',
      'model: openai/gpt-5-mini',
      'max_iterations: 7',
      'permissions:',
      '  bash: deny',
      '  "mcp__*": ask',
    ].join('\n');
    expect(read(file(head))).toMatchObject({
      model: 'openai/gpt-5-mini',
      max_iterations: 7,
      permissions: [
        {
          ...{ scope: 'agent', scope_id: 'reviewer', decision: 'deny', priority: 0 },
          matcher: { type: 'tool', pattern: 'bash' },
        },
        { decision: 'ask', matcher: { type: 'tool', pattern: 'mcp__*' } },
      ],
    });
  });

  it('reads whole rules, which are for no other agent whatever they say', () => {
    const head = [
      'description: Reviews.',
      'permissions:',
      '  - decision: allow',
      '    scope: global',
      '    priority: 3',
      '    matcher: { type: command_prefix, prefixes: [git log] }',
    ].join('\n');
    expect(read(file(head)).permissions).toMatchObject([
      {
        ...{ scope: 'agent', scope_id: 'reviewer', decision: 'allow', priority: 3 },
        matcher: { type: 'command_prefix', prefixes: ['git log'] },
      },
    ]);
  });

  it('takes Windows’ line ends and a byte order mark', () => {
    const text = `\uFEFF${file('description: Reviews.', 'One\nTwo').replaceAll('\n', '\r\n')}`;
    expect(read(text).instructions).toBe('One\nTwo');
  });

  it.each([
    ['', /^1: has to begin with a line of ---/],
    ['You review.', /^1: has to begin with a line of ---/],
    ['---\ndescription: d\nYou review.', /^1: has to begin with a line of ---/],
    ['---\n---\nYou review.', /^1: description is needed/],
    [file('- a'), /^\d: has to be fields/],
    [file('description: d', ''), /^1: has no text after its head/],
    [file('description: [d'), /^\d: is not valid YAML: /],
    [file('description: d\ndescription: e'), /^3: is not valid YAML: .*unique/],
    [file('description: d\n\nmax_iterations: 0'), /^4: max_iterations has to be at least 1/],
    [file('description: d\nname: a b'), /^3: name has to be 1 to 64 letters/],
    [file('description: d\nmodle: a/b'), /^3: modle is not a known field; did you mean model\?/],
    [file('description: d\ntool: Read'), /^3: tool is not a known field; did you mean tools\?/],
    [
      file('description: d\ntools:\n  - read\n  - a b'),
      /^5: tools\[1\] has to be the name of a tool/,
    ],
    [file('description: d\npermissions:\n  bash: never'), /^4: permissions/],
    [
      file(
        'description: d\npermissions:\n  - decision: allow\n    matcher: { type: regex, pattern: "(a" }',
      ),
      /^5: permissions\[0\]\.matcher\.pattern is not a valid regular expression/,
    ],
    [
      file(
        'description: d\npermissions:\n  - decision: allow\n    max_uses: 3\n    matcher: { type: all }',
      ),
      /^5: permissions\[0\]\.max_uses can’t be counted here/,
    ],
  ])('names the line of what is wrong in %j', (text, fault) => {
    expect(faultsOf(text)[0]).toMatch(fault);
  });

  it('names all faults at once', () => {
    expect(faultsOf(file('name: 7\nmax_iterations: x\ntools: 8'))).toHaveLength(4);
  });

  it('does not unfold what would never end', () => {
    const levels = Array.from(
      { length: 12 },
      (_, n) =>
        `a${n + 1}: &a${n + 1} [${'*a0 '.replace('0', String(n)).repeat(9).trim().replaceAll(' ', ', ')}]`,
    );
    expect(faultsOf(file(['description: d', 'a0: &a0 x', ...levels].join('\n')))[0]).toMatch(
      /not valid YAML/,
    );
  });
});
