import { NoSandbox, probeBubblewrap } from '../../../src/workspace/sandbox/open-sandbox.js';
import type { Sandbox } from '../../../src/workspace/sandbox/sandbox.js';

export interface SandboxUnderTest {
  readonly name: 'bubblewrap' | 'none';
  /** Why it can't be tested here. */
  readonly fault?: string | undefined;
  open(hidden?: readonly string[]): Promise<Sandbox>;
}

/**
 * Why bubblewrap can't be tested here, or undefined if it can. With REQUIRE_SERVICES=1 that is an
 * error.
 */
async function findBubblewrapFault(): Promise<string | undefined> {
  const probed = await probeBubblewrap({ network: false, hidden: [] });
  if (probed.works) return undefined;
  const fault = `bubblewrap can't be used: ${probed.why}`;
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(fault);
  process.stderr.write(`Skipped: ${fault}\n`);
  return fault;
}

/** Every way to run commands. */
export const SANDBOXES: readonly SandboxUnderTest[] = [
  { name: 'bubblewrap', fault: await findBubblewrapFault(), open: openBubblewrap },
  { name: 'none', open: () => Promise.resolve(new NoSandbox()) },
];

async function openBubblewrap(hidden: readonly string[] = []): Promise<Sandbox> {
  const probed = await probeBubblewrap({ network: false, hidden });
  if (!probed.works) throw new Error(probed.why);
  return probed.sandbox;
}
