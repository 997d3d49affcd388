import { describeProblem } from './describe-problem.js';
import type { HttpSettings } from '../server-settings.js';

function remote(url = 'http://127.0.0.1:9/mcp', authorization = 'Bearer secret-token') {
  return {
    kind: 'http',
    trust: false,
    name: 'remote',
    url: new URL(url),
    headers: { Authorization: authorization },
  } satisfies HttpSettings;
}

/** What `fetch` says before it connects. */
async function refusalOf({ url, headers }: HttpSettings): Promise<string> {
  const error: unknown = await fetch(url, { headers }).catch((fault: unknown) => fault);
  return describeProblem(error, remote(url.href, headers['Authorization']));
}

describe(describeProblem.name, () => {
  it('says what caused the error, each thing once', () => {
    const cause = new Error('connect ECONNREFUSED 127.0.0.1:9');
    const error = new TypeError('fetch failed', { cause });
    const expected = 'fetch failed: connect ECONNREFUSED 127.0.0.1:9';
    expect(describeProblem(error, remote())).toBe(expected);
    expect(describeProblem(new Error('fetch failed', { cause: error }), remote())).toBe(expected);
  });

  it('comes to an end with an error that causes itself', () => {
    const error = new Error('round');
    error.cause = error;
    expect(describeProblem(error, remote())).toBe('round');
  });

  it('hides headers and passwords that an error quotes', async () => {
    const header = await refusalOf(remote('http://127.0.0.1:9/mcp', 'Bearer secret\ntoken '));
    expect(header).toMatch(/"\[hidden\]" is an invalid header value/);
    const url = await refusalOf(remote('http://somebody:secret@127.0.0.1:9/mcp'));
    expect(url).toMatch(/includes credentials: http:\/\/\[hidden\]@127/);
  });

  it('hides the secret variables of a program', () => {
    const env = { API_TOKEN: 'my-own-token', MODE: 'production-mode' };
    const program = {
      kind: 'stdio',
      name: 'local',
      trust: false,
      command: 'x',
      args: [],
      env,
    } as const;
    const said = describeProblem(new Error('no my-own-token in production-mode'), program);
    expect(said).toBe('no [hidden] in production-mode');
  });

  it('shows the beginning of what is very long, without a secret that is cut', () => {
    const said = `${'x'.repeat(990)}Bearer secret-token${'y'.repeat(1_000_000)}`;
    const shown = describeProblem(new Error(said), remote());
    expect(shown.length).toBeLessThan(1_100);
    expect(shown).not.toContain('secret');
  });
});
