import { checkConversation } from '../runs/check-conversation.js';
import type { RunWorld } from '../runs/run-world.js';

/**
 * The interaction has ended once, as its last record says, every call has its result, and its
 * conversation is valid (I8).
 */
export async function expectEnded(world: RunWorld): Promise<void> {
  const types = await world.types();
  const { status } = await world.row();
  expect(types.indexOf('INTERACTION_COMPLETE')).toBe(types.length - 1);
  expect(await world.all('INTERACTION_COMPLETE')).toEqual([
    { type: 'INTERACTION_COMPLETE', status },
  ]);
  expect(checkConversation((await world.messages())!)).toEqual([]);
  const calls = (await world.all('TOOL_CALL')).map(({ id }) => id);
  expect((await world.all('TOOL_RESULT')).map(({ id }) => id).sort()).toEqual(calls.sort());
}
