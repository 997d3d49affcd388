import { query } from '../stores.mjs';

/**
 * Characters. With what is around them, a message is about as long as those of people and models
 * are.
 */
const USER_LENGTH = 100;
const ANSWER_LENGTH = 500;

/**
 * Chats of so many interactions, of a message and an answer each, and after them one that has not
 * ended.
 */
const CHATS = `
  INSERT INTO chats (uid, tenant_id, id, owner, visibility, head_interaction_id, created_at, updated_at, settings, messages, metadata)
  SELECT gen_random_uuid(), 'default', id, 'local', 'private', id || '_' || $2::integer, now(), now(), '{}', '[]', '{}' FROM unnest($1::text[]) AS id RETURNING id, uid`;
const INTERACTIONS = `
  INSERT INTO interactions (id, chat_uid, chat_id, tenant_id, started_by, parent_id, status, user_message, agent, agent_id, model, settings, created_at, completed_at,
    last_seq, metadata, epoch, added_messages)
  SELECT c.id || '_' || n, c.uid, c.id, 'default', 'local', CASE WHEN n > 1 THEN c.id || '_' || (n - 1) END, 'COMPLETED', 'Go', 'react', 'agent_' || c.id || n,
    'openai/flat-20', '{}', now(), now(), 0, '{}', 1, CASE WHEN n <= $2 THEN $3::json END
  FROM chats c, generate_series(1, $2::integer + 1) AS n
  WHERE c.id = ANY ($1::text[])`;

/**
 * Saves chats, in Postgres as the server does, and their messages in Redis as a list each:
 * `{ id, uid, last, messages }`, `last` an interaction that all messages come before.
 */
export async function saveChats({ store, redis, chats, messages }) {
  const ids = Array.from({ length: chats }, (_, i) => `chat_of_${messages}_${i}`);
  const turns = messages / 2;
  const turn = [
    { role: 'user', content: 'q'.repeat(USER_LENGTH) },
    { role: 'assistant', content: 'a'.repeat(ANSWER_LENGTH) },
  ];
  const made = await query(store.url, CHATS, [ids, turns]);
  await query(store.url, INTERACTIONS, [ids, turns, JSON.stringify(turn)]);
  await query(store.url, 'ANALYZE chats, interactions');
  const texts = Array.from({ length: turns }, () => turn.map((one) => JSON.stringify(one))).flat();
  for (const id of ids) await redis.client.rpush(id, ...texts);
  return made.map(({ id, uid }) => ({ id, uid, last: `${id}_${turns + 1}`, messages }));
}
