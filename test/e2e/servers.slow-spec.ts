import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { Servers } from './servers.js';

const ROOT = resolve(import.meta.dirname, '../..');

describe(Servers.name, () => {
  it('tells that a start took too long, and nothing that only follows from it', () => {
    const jest = ['node_modules/jest/bin/jest.js', '--testTimeout=500', '--colors=false'];
    const match = ['--testMatch', '<rootDir>/test/e2e/hanging-start.ts'];
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--experimental-vm-modules', ...jest, ...match],
      { cwd: ROOT, encoding: 'utf8', env: { ...process.env, TEST_ALL: undefined } },
    );
    expect(status).toBe(1);
    expect(stderr).toContain('Exceeded timeout of 500 ms for a hook');
    expect(stderr).not.toContain('TypeError');
    expect(stderr).not.toContain('Cannot read properties');
    expect(stderr).toContain('1 failed');
  });
});
