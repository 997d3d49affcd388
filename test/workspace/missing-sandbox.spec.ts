import { loadConfig } from '../../src/config/load-config.js';
import { openSandbox } from '../../src/workspace/sandbox/open-sandbox.js';

const ADMIN_KEY = 'a-key-of-the-operator-of-32-characters';
const probe = async () => ({ works: false, why: 'bubblewrap is not installed' }) as const;

describe('A host without bubblewrap', () => {
  it('runs no command for a server that knows its users', async () => {
    const sandbox = await openSandbox(loadConfig({ AUTH: 'keys', ADMIN_KEY }), probe);
    expect(sandbox.kind).toBe('missing');
    await expect(sandbox.confine(['true'], '/')).rejects.toMatchObject({ code: 'sandbox_missing' });
  });

  it.each([
    ['SANDBOX=none', { AUTH: 'keys', ADMIN_KEY, SANDBOX: 'none' }],
    ['AUTH=none', {}],
  ])('runs them unconfined with %s', async (_setting, env) => {
    const sandbox = await openSandbox(loadConfig(env), probe);
    expect(sandbox.kind).toBe('none');
    expect(await sandbox.confine(['true'], '/')).toContain('true');
  });
});
