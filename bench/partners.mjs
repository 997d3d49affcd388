import { fileURLToPath } from 'node:url';
import { Child } from './child.mjs';

/** A process of ours that answers on a `port`. */
export async function startHelper(file, { pin, args = [] } = {}) {
  const child = new Child([pathOf(file), ...args], { pin });
  const { port } = await child.message();
  return Object.assign(child, { port });
}

/** Puts load on servers: `run(job)` resolves with what came of it. */
export async function startClient({ pin } = {}) {
  const child = new Child([pathOf('client.mjs')], { pin });
  await child.message();
  const run = async (job) => {
    child.send(job);
    return child.message();
  };
  return Object.assign(child, { run });
}

function pathOf(file) {
  return fileURLToPath(new URL(file, import.meta.url));
}
