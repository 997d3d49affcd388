// Does without containers what Dockerfile, compose.yaml and deploy/nginx.conf would do with them:
// builds the image's tree, starts its processes as compose says, behind a real nginx. Needs nginx,
// and Postgres and Redis as the tests do, and with Prometheus tests the alerts and the dashboard,
// too; prints what holds, and fails on the first that doesn't.
import { join } from 'node:path';
import { ADMIN_KEY } from './deployment/admin-key.mjs';
import { checkCluster } from './deployment/check-cluster.mjs';
import { checkContainer } from './deployment/check-container.mjs';
import { checkObservability } from './deployment/check-observability.mjs';
import { checkProxy } from './deployment/check-proxy.mjs';
import { readCompose } from './deployment/compose.mjs';
import { findComposeFaults } from './deployment/compose-rules.mjs';
import { buildImage } from './deployment/image.mjs';
import { inScratchFolder } from './deployment/in-scratch-folder.mjs';
import { holds } from './deployment/holds.mjs';

await inScratchFolder('parley-deployment-', run);

async function run(scratch) {
  const compose = await readCompose('compose.yaml', {
    POSTGRES_PASSWORD: 'of-postgres',
    REDIS_PASSWORD: 'of-redis',
    ADMIN_KEY,
  });
  const [image] = await Promise.all([
    buildImage({ folder: join(scratch, 'image') }),
    checkProxy(join(scratch, 'proxy')),
  ]);
  await holds('compose.yaml agrees with the server, the image and nginx.conf', async () => {
    const faults = await findComposeFaults(compose, image);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  });
  await checkContainer(image, join(scratch, 'container'));
  await checkObservability(join(scratch, 'observability'));
  await checkCluster({ compose, image, folder: join(scratch, 'cluster') });
}
