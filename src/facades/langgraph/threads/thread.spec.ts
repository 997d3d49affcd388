import { Thread } from './thread.js';
import type { Chat } from '../../../protocol/wire/chat.js';
import type { Interaction } from '../../../protocol/wire/interaction.js';

/** Of a chat that was given a message; the interactions are some of its newest. */
function threadOf(...interactions: readonly (readonly [id: string, parent: string | null])[]) {
  const messages = [{ role: 'user', content: 'Given.' }];
  const thread = new Thread({ id: 'chat', messages } as unknown as Chat);
  for (const [id, parent_id] of interactions)
    thread.add({
      ...{ id, parent_id, status: 'COMPLETED', user_message: `Ask ${id}.`, metadata: {} },
      ...{ agent_id: 'agent_1', agent_events: [] },
    } as unknown as Interaction);
  return thread;
}

function textsTo(thread: Thread, id: string | null): unknown[] {
  return thread.messagesTo(thread.find(id)).map(({ content }) => content);
}

describe(Thread.name, () => {
  it('has what the chat was given before a branch that was read from its beginning', () => {
    const thread = threadOf(['9', '8'], ['7', '6'], ['6', null]);
    expect(textsTo(thread, '7')).toEqual(['Given.', 'Ask 6.', 'Ask 7.']);
    expect(textsTo(thread, '9')).toEqual(['Ask 9.']);
  });

  it('has it alone before all', () => {
    expect(textsTo(threadOf(['9', '8']), null)).toEqual(['Given.']);
  });
});
