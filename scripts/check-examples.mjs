// Installs each example as a package that has Parley as a dependency, with libraries of its own,
// and runs its tests.
import { readdir } from 'node:fs/promises';
import { holds } from './deployment/holds.mjs';
import { run } from './deployment/processes.mjs';

for (const name of await readdir('examples')) {
  const options = { cwd: `examples/${name}` };
  await holds(`examples/${name}`, async () => {
    await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], options);
    await run('npm', ['-s', 'test'], options);
  });
}
