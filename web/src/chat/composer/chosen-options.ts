import type { Chat } from 'parley/client';
import { Store } from '../../ui/store';

export type ChatOptions = Pick<
  Chat['settings'],
  'agent' | 'model' | 'approval_mode' | 'workspace' | 'budget'
>;

/** Settings of the next new chat. One that is there has its own. */
export const newChatOptions = new Store<ChatOptions>({});
