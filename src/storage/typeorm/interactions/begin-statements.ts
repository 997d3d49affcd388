const BODY = `
  'type', 'INTERACTION_STARTED', 'chat_id', chat_id, 'user_message', user_message, 'agent', agent, 'model', model, 'parent_id', parent_id`;

/** Makes the interactions `begun` (their columns, and `at`) begin: writes record 1, and makes them the heads of their chats. */
export const BEGIN_INTERACTIONS = `
  first AS (
    INSERT INTO records (interaction_id, seq, epoch, agent_id, type, at, body)
    SELECT id, 1, epoch, agent_id, 'INTERACTION_STARTED', at, CASE WHEN edited_from IS NULL
      THEN json_build_object(${BODY}) ELSE json_build_object(${BODY}, 'edited_from', edited_from) END
    FROM begun
  ),
  headed AS (
    UPDATE chats c SET head_interaction_id = b.id, updated_at = b.at FROM begun b WHERE c.id = b.chat_id
  )`;
