import { mkdir } from 'node:fs/promises';
import { startContainer } from './container.mjs';
import { expect, holds } from './holds.mjs';

/**
 * The image by itself, as `docker run` starts it: on its embedded database, as its user, with
 * nothing set.
 */
export async function checkContainer(image, folder) {
  await mkdir(folder, { recursive: true });
  await holds('the image runs as its own user, and says what it listens on', () => {
    expect(image.user && image.user !== 'root', 'the image runs as root');
    expect(image.env.HOST === '0.0.0.0', `nobody outside reaches HOST=${image.env.HOST}`);
    expect(image.env.PORT === image.port, `EXPOSE ${image.port} isn't PORT=${image.env.PORT}`);
    const { DATA_DIR, WORKSPACE_DIR } = image.env;
    expect(image.volumes.join() === [DATA_DIR, WORKSPACE_DIR].join(), 'what is kept is no volume');
  });
  const container = await holds('the image starts', () =>
    startContainer(image, { name: 'alone', folder }),
  );
  await holds('its health check says that it lives', async () => {
    expect(await container.isHealthy(), 'the health check fails');
  });
  await holds(`${image.stopSignal} ends it with 0`, async () => {
    const code = await container.stop();
    expect(code === 0, `it ends with ${code}: see ${container.log}`);
  });
  await holds('its health check says when it is gone', async () => {
    expect(!(await container.isHealthy()), 'the health check passes without a server');
  });
}
