import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, start, until } from './processes.mjs';

/**
 * Starts nginx with deploy/nginx.conf, in which only addresses are others: where it listens and
 * writes, and those of the upstreams. Docker's name server isn't here, and older versions don't
 * know `resolve`.
 */
export async function startNginx({ folder, upstreams }) {
  const port = await freePort();
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const conf = join(folder, 'nginx.conf');
  const text = await readFile('deploy/nginx.conf', 'utf8');
  await writeFile(conf, readdress(text, { port, folder, upstreams }));
  const log = join(folder, 'nginx.log');
  const file = await open(log, 'a');
  const args = ['-c', conf, '-p', folder, '-e', 'stderr', '-g', 'daemon off;'];
  const { child, exited } = start('nginx', args, { stdio: ['ignore', file, file] });
  await file.close();
  const url = `http://127.0.0.1:${port}`;
  await until(`nginx doesn't answer: ${await readFile(log, 'utf8')}`, async () => {
    const answer = await fetch(`${url}/health/proxy`).catch(() => undefined);
    return answer?.ok;
  });
  return {
    url,
    log: () => readFile(log, 'utf8'),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function readdress(text, { port, folder, upstreams }) {
  const ports = [...upstreams];
  return text
    .replaceAll('/tmp/', `${folder}/`)
    .replace(/^.*resolver .*$/m, '')
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replaceAll(/server \S+:\d+ resolve/g, () => `server 127.0.0.1:${ports.shift()}`);
}
