import { randomUUID } from 'node:crypto';
import { loadConfig } from '../../dist/src/config/load-config.js';
import { SystemClock } from '../../dist/src/kernel/clock.js';
import { openStorage } from '../../dist/src/storage/open-storage.js';

/** Operations at once. */
const ABREAST = 16;
const BATCH = 500;
const SETTINGS = {
  max_iterations: 25,
  on_disconnect: 'continue',
  approval_mode: 'ask',
  client_tools: [],
};
const VIEWER = { tenant_id: 'default', user_id: 'local', is_admin: true };
const LEASE = { owner: 'bench', ttl_ms: 600_000 };

/**
 * Fills a store as runs do: `chats` empty chats, a chat `long` of so many `interactions` of a few
 * records each, a chat `busy` with one interaction of `records`, and a chat `wide` with one of
 * `wide` records of a megabyte. Answers with the last id of each chat, and the first of `long`.
 */
export async function seed(env, { chats, interactions, records, wide }) {
  const storage = await openStorage(
    loadConfig({ SAVE_TIMEOUT_MS: '60000', ...env }),
    new SystemClock(),
    console.error,
  );
  try {
    await createChats(storage, chats);
    let [first, long] = [];
    for (let n = 0; n < interactions; n++) {
      long = await run(storage, 'long', n, textsOf(4, 300));
      first ??= long;
    }
    const busy = await run(storage, 'busy', 0, textsOf(records, 300));
    const ofWide = await run(storage, 'wide', 0, textsOf(wide, 1_000_000), 4);
    return { first, long, busy, wide: ofWide };
  } finally {
    await storage.close();
  }
}

async function createChats({ chats }, count) {
  for (let from = 0; from < count; from += ABREAST)
    await Promise.all(
      Array.from({ length: Math.min(ABREAST, count - from) }, (_, i) =>
        chats.createChat({
          ...newChat(`chat_${from + i}`, new Date(Date.UTC(2026, 0, 1) + from + i).toISOString()),
          title: `Chat ${from + i}`,
        }),
      ),
    );
}

function newChat(id, created_at) {
  const { tenant_id, user_id: owner } = VIEWER;
  const named = { uid: randomUUID(), id, tenant_id, owner, visibility: 'private' };
  return { ...named, title: null, settings: {}, created_at, metadata: {} };
}

function* textsOf(count, length) {
  for (let i = 0; i < count; i++) yield 'x'.repeat(length);
}

/** One interaction from its start to its end. */
async function run({ interactions, records: log }, chat_id, n, texts, batch = BATCH) {
  const id = `int_${chat_id}_${String(n).padStart(6, '0')}`;
  const created_at = new Date().toISOString();
  const agent_id = `agent_${id}`;
  const outcome = await interactions.startInteraction({
    chat: newChat(chat_id, created_at),
    viewer: VIEWER,
    interaction: {
      ...{ id, chat_id, user_message: 'Go on', agent: 'react', agent_id, model: 'demo/script' },
      ...{ settings: SETTINGS, created_at, metadata: {} },
    },
    on_conflict: 'reject',
    lease: LEASE,
  });
  if (outcome.outcome !== 'started') throw new Error(`The start of ${id}: ${outcome.outcome}.`);
  let seq = 1;
  const record = (body, hidden = null) => {
    seq++;
    return { interaction_id: id, seq, epoch: 1, agent_id, at: created_at, key: null, body, hidden };
  };
  let rest = [];
  const save = async (end) => {
    await log.append([{ interaction_id: id, epoch: 1, records: rest, ...(end && { end }) }]);
    rest = [];
  };
  for (const content of texts) {
    const hidden = { message: { role: 'assistant', content } };
    rest.push(record({ type: 'MESSAGE', block_id: `b${seq}`, content }, hidden));
    if (rest.length === batch) await save();
  }
  rest.push(record({ type: 'INTERACTION_COMPLETE', status: 'COMPLETED' }));
  const added_messages = [
    { role: 'user', content: 'Go on' },
    { role: 'assistant', content: 'y'.repeat(1000) },
  ];
  await save({ status: 'COMPLETED', error: null, completed_at: created_at, added_messages });
  return { chat_id, id };
}
