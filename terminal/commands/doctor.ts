import { randomBytes } from 'node:crypto';
import type { Client } from '../../client/index.js';
import { connect, explain } from '../connection/connect.js';
import { EXIT } from '../exit-codes.js';
import { sanitize } from '../render/sanitize.js';
import { span } from '../render/span.js';
import { GLYPHS, SGR } from '../render/theme.js';
import type { Terminal } from '../terminal.js';
import { durationOf } from '../transcript/tool-call.js';
import { adviceFor, versionOfPackage } from '../version.js';
import type { CommandLine } from './options.js';

interface Finding {
  readonly state: 'good' | 'bad' | 'note';
  readonly text: string;
}

type Check = (client: Client) => Promise<Finding>;

/** `parley doctor`: each part that a chat needs, and what to do about one that fails. */
export async function doctor(
  { values }: Omit<CommandLine, 'name'>,
  { environment, out, err }: Terminal,
): Promise<number> {
  const { url, key } = values;
  const signs = {
    good: span(GLYPHS.good, SGR.green),
    bad: span(GLYPHS.bad, SGR.red),
    note: span('!', SGR.yellow),
  };
  const say = (text: string): void => err.write(`${text}\n`);
  const connected = await connect({ url, key, workspace: undefined }, environment, say);
  out.write(`parley ${versionOfPackage()}, Node ${process.versions.node}, ${connected.url}\n`);
  try {
    for (const [name, check] of Object.entries(CHECKS)) {
      const { state, text } = await check(connected.client).catch(failed);
      out.line([signs[state], span(` ${name.padEnd(12)} `), span(sanitize(text))]);
      if (state === 'bad') return EXIT.failed;
    }
    return EXIT.completed;
  } finally {
    await connected.close();
  }
}

/** In an order in which each needs the one before. */
const CHECKS: Readonly<Record<string, Check>> = {
  async server(client) {
    const begun = performance.now();
    await client.health.live();
    return good(`answers in ${durationOf(performance.now() - begun)}`);
  },
  async version(client) {
    const ready = await client.health.ready().catch(() => undefined);
    const theirs = ready?.version ?? 'unknown';
    const ours = versionOfPackage();
    const advice = adviceFor(theirs);
    if (advice !== undefined) return { state: 'note', text: advice };
    if (theirs === ours || theirs === 'unknown') return good(theirs);
    return { state: 'note', text: `${theirs}; this is ${ours}.` };
  },
  async ready(client) {
    const { status, degraded = [], sandbox } = await client.health.ready();
    const text = sandbox ? `${status}; commands: ${sandbox.description}` : status;
    if (status === 'ok') return good(text);
    return { state: 'note', text: `${text}; unavailable: ${JSON.stringify(degraded)}` };
  },
  async credential(client) {
    await client.chats.list({ limit: 1 });
    return good('accepted');
  },
  async agents(client) {
    const { items, faults } = await client.agents.types();
    const names = items.map(({ name }) => name).join(', ');
    if (!faults?.length) return good(names);
    return { state: 'note', text: `${names}; files with faults: ${JSON.stringify(faults)}` };
  },
  /** A short answer in a chat that is deleted again: the store takes what the model says. */
  async model(client) {
    const chat_id = `doctor-${randomBytes(5).toString('hex')}`;
    const begun = performance.now();
    try {
      const body = {
        user_message: 'Reply with the word ok.',
        max_iterations: 1,
        approval_mode: 'deny' as const,
      };
      const done = await client.interactions.start(chat_id, body, { query: { wait: 'true' } });
      const took = durationOf(performance.now() - begun);
      if (done.status === 'COMPLETED') return good(`${done.model} answers in ${took}`);
      const why = done.error ? `${done.error.message} (${done.error.code})` : done.status;
      return {
        state: 'bad',
        text: `${done.model}: ${why}. Check MODEL and its key: parley serve, docs/models.md.`,
      };
    } finally {
      await client.chats.delete(chat_id).catch(() => {});
    }
  },
};

function good(text: string): Finding {
  return { state: 'good', text };
}

function failed(error: unknown): Finding {
  return { state: 'bad', text: explain(error) };
}
