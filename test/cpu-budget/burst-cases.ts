import type { CpuCase, CpuWorld } from './cpu-world.js';

const REQUESTS = 100;
/** In calibrated milliseconds, of all requests. */
const TOTAL = 6_000;
const COMMAND = `ls ${'a/b/c '.repeat(8)}; `.repeat(150);

/** Many requests that arrive at once: each is short, and others are served between them. */
export function burstCases(): CpuCase[] {
  const body = JSON.stringify({ tool_name: 'bash', tool_input: { command: COMMAND } });
  const requests: Readonly<Record<string, (world: CpuWorld) => Promise<string>>> = {
    'checks of commands': (world) => world.send('POST', '/permissions/check', { body }),
    'starts of chats': (world) => world.send('POST', '/chats', { body: '{}' }),
    'lists of chats': (world) => world.send('GET', '/chats?limit=100'),
    'streams of what is not there': (world) => world.send('GET', '/chats/none/events'),
  };
  return Object.entries(requests).map(([name, request]) => ({
    name: `at once: ${name}`,
    run: (world) => Promise.all(Array.from({ length: REQUESTS }, () => request(world))),
    total: TOTAL,
  }));
}
