import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from './config-error.js';
import { readEnvironment } from './read-environment.js';

describe(readEnvironment.name, () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-env-'));
  const file = join(folder, '.env');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('lets the process win over the file, even with an empty variable', () => {
    process.env['PARLEY_SPEC_A'] = '';
    writeFileSync(file, 'PARLEY_SPEC_A=file\nPARLEY_SPEC_B="from file" # why\n');
    const env = readEnvironment(file);
    delete process.env['PARLEY_SPEC_A'];
    expect(env).toMatchObject({ PARLEY_SPEC_A: '', PARLEY_SPEC_B: 'from file' });
    expect(process.env).not.toHaveProperty('PARLEY_SPEC_B');
  });

  it('needs no file', () => {
    expect(readEnvironment(join(folder, 'none'))).toEqual({ ...process.env });
  });

  it('names a file that it can not read', () => {
    expect(() => readEnvironment(folder)).toThrow(ConfigError);
  });
});
