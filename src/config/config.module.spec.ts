import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test } from '@nestjs/testing';
import { Config } from './config.js';
import { AppConfigModule } from './config.module.js';
import { ConfigError } from './config-error.js';
import { loadConfig } from './load-config.js';

async function configOf(path: string): Promise<Config> {
  const imports = [await AppConfigModule.forRoot(path)];
  const module = await Test.createTestingModule({ imports }).compile();
  return module.get(Config);
}

describe(AppConfigModule.name, () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-env-'));
  const file = join(folder, '.env');
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(() => delete process.env['PARLEY_SPEC_A']);

  it('lets the process win over the file, even with an empty variable', async () => {
    process.env['PARLEY_SPEC_A'] = '';
    writeFileSync(file, 'PARLEY_SPEC_A=file\nPARLEY_SPEC_B="from file" # why\nMAX_ITERATIONS=7\n');
    const before = { ...process.env };
    const config = await configOf(file);
    expect(config.variable('PARLEY_SPEC_A')).toBeUndefined();
    expect(config.variable('PARLEY_SPEC_B')).toBe('from file');
    expect(config.maxIterations).toBe(7);
    expect(process.env).toEqual(before);
  });

  it('tells unknown names of the file', async () => {
    writeFileSync(file, 'PROT=3001\n');
    expect((await configOf(file)).warnings).toContain(
      'Unknown variable PROT in .env; did you mean PORT?',
    );
  });

  it('needs no file', async () => {
    const { port } = await configOf(join(folder, 'none'));
    expect(port).toBe(loadConfig(process.env).port);
  });

  it('names every fault of the file', async () => {
    writeFileSync(file, 'PORT=x\nMIGRATE=maybe\n');
    await expect(AppConfigModule.forRoot(file)).rejects.toMatchObject({
      faults: [{ variable: 'PORT' }, { variable: 'MIGRATE' }],
    });
  });

  it('names a file that it can not read', async () => {
    await expect(AppConfigModule.forRoot(folder)).rejects.toThrow(ConfigError);
  });

  it('takes a configuration that is loaded already', async () => {
    const config = loadConfig({});
    const imports = [AppConfigModule.of(config)];
    const module = await Test.createTestingModule({ imports }).compile();
    expect(module.get(Config)).toBe(config);
  });
});
