import { EntitySchema } from 'typeorm';
import type { ChatRow } from '../../../persistence/rows/chat-rows.js';
import { ID, JSON_TEXT, nullable, TEXT, TIME, UID } from './columns.js';

export const ChatEntity = new EntitySchema<ChatRow>({
  name: 'chats',
  columns: {
    uid: { ...UID, primary: true },
    id: ID,
    tenant_id: ID,
    owner: ID,
    visibility: TEXT,
    title: nullable(TEXT),
    preview: nullable(TEXT),
    settings: JSON_TEXT,
    head_interaction_id: nullable(ID),
    created_at: TIME,
    updated_at: TIME,
    metadata: JSON_TEXT,
  },
});
