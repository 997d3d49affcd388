import { Person } from '../../support/client/person.js';
import type { Protocol } from './protocol-client.js';

export const NATIVE: Protocol = {
  name: 'native',
  connect: (api) => ({
    send: async (chat_id, message) => {
      const reader = await api.say(chat_id, message);
      const { interaction_id: id } = reader.records[0]!;
      await api.follow({ chat_id, id }, undefined, reader); // where the stream has ended early
      return reader.find('ANSWER')?.content;
    },
    approve: async (of) => {
      const person = new Person(() => api);
      const { items } = (await person.inbox(`status=pending&chat_id=${of.chat_id}`)).body;
      return person.approve(of, items[0].id);
    },
  }),
};
