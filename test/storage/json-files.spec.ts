import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJson, replaceJson } from '../../src/storage/file/json-files.js';

describe(readJson.name, () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-json-files-'));
    path = join(folder, 'rows.json');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('gives what was saved last', async () => {
    await replaceJson(path, { rows: [1] });
    await replaceJson(path, { rows: [1, 2] });
    expect(await readJson(path, { rows: [] })).toEqual({ rows: [1, 2] });
    expect(await readFile(path, 'utf8')).toBe('{\n  "rows": [\n    1,\n    2\n  ]\n}\n');
    expect(await readdir(folder)).toEqual(['rows.json']);
  });

  it('gives the empty value without a file', async () => {
    expect(await readJson(path, { rows: [] })).toEqual({ rows: [] });
  });

  it('throws for a file that is damaged', async () => {
    await writeFile(path, '');
    await expect(readJson(path, { rows: [] })).rejects.toThrow(SyntaxError);
  });
});
