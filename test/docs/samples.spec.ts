import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Code blocks that say which file they would be, as `// src/…`. */
const samples = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) => {
    const text = readFileSync(join(ROOT, 'docs', name), 'utf8');
    return [...text.matchAll(/```ts\n\/\/ (src\/\S+)\n(.*?)```/gs)].map(
      ([, path, code]) => [name, path!, code!] as const,
    );
  });

describe('The samples of the documents', () => {
  it('are found', () => {
    expect(samples.length).toBeGreaterThan(1);
  });

  it.each(samples)('%s: %s imports files that exist', (_name, path, code) => {
    const own = samples.map(([, each]) => join(ROOT, each));
    const missing = [...code.matchAll(/ from '(\.[^']+)'/g)]
      .map(([, spec]) => join(ROOT, dirname(path), spec!.replace(/\.js$/, '.ts')))
      .filter((file) => !existsSync(file) && !own.includes(file));
    expect(missing).toEqual([]);
  });
});
