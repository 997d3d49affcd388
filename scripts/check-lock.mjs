// Fails when package-lock.json has a package without a hash that the server or the build of its
// image installs, lacks a package of another platform, or names another registry than the default.
import { readFileSync } from 'node:fs';

const REGISTRY = 'https://registry.npmjs.org/';
/** Of the Dockerfile. npm adds no hash for other platforms' packages that its registry lacks. */
const IMAGE = { os: 'linux', cpu: ['x64', 'arm64'], libc: 'glibc' };

const { packages } = JSON.parse(readFileSync(process.argv[2] ?? 'package-lock.json', 'utf8'));

for (const [path, entry] of Object.entries(packages)) {
  if (!path.includes('node_modules/') || entry.link) continue; // ours
  if (!entry.integrity && (!entry.dev || isInImage(entry))) report(path, 'has no integrity');
  if (entry.resolved && !entry.resolved.startsWith(REGISTRY))
    report(path, `is from ${entry.resolved}`);
  for (const name of Object.keys(entry.optionalDependencies ?? {}))
    if (!find(path, name)) report(path, `lacks its optional dependency ${name}`);
}

function isInImage({ os, cpu, libc }) {
  return (
    runsOn(os, IMAGE.os) && IMAGE.cpu.some((each) => runsOn(cpu, each)) && runsOn(libc, IMAGE.libc)
  );
}

function runsOn(list, platform) {
  return !list || list.includes(platform);
}

/** As Node resolves it: beside the package, then further up. */
function find(path, name) {
  for (let folder = path; ; folder = folder.replace(/\/?node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    if (packages[`${folder}${folder && '/'}node_modules/${name}`]) return true;
    if (folder === '') return false;
  }
}

function report(path, fault) {
  console.log(`package-lock.json: ${path} ${fault}`);
  process.exitCode = 1;
}
