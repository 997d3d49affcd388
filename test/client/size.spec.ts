import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { bundledClient } from '../support/client/bundled-client.js';

const MOST_BYTES = 12 * 1024;

describe('parley/client', () => {
  it('has at most 12 KB, minified and compressed, and imports nothing', async () => {
    const code = await readFile(await bundledClient(), 'utf8');
    expect(code).not.toMatch(/^import\b|\bfrom\s*["'`]|\brequire\(/m);
    expect(gzipSync(code).length).toBeLessThanOrEqual(MOST_BYTES);
    expect(gzipSync(code).length).toBeGreaterThan(1_000);
  });
});
