import { eventually } from '../../support/eventually.js';
import { Following } from '../../support/store/following.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { withPeople } from '../with-people.js';

const calculate = (expression: string) => ({ name: 'calculator', arguments: { expression } });
const ONCE = { calls: [calculate('6*7')] };
/** The same call again and again; nothing asks about it but that. */
const LOOP = script(ONCE, ONCE, ONCE, { calls: [calculate('1+1')] });

export function describeCallLimits(servers: Servers): void {
  describe('Too many tool calls', () => {
    withPeople(servers, { MAX_TOOL_CALLS: '3' }, (server) => {
      it('of an interaction are results that its model goes on with', async () => {
        const calls = ['1+1', '2+2', '3+3', '4+4', '5+5'].map(calculate);
        const reader = await server.api.say(
          'many',
          script({ calls: calls.slice(0, 2) }, { calls }),
        );
        expect(reader.faults).toEqual([]);
        const results = reader.list('TOOL_RESULT');
        expect(results.filter(({ is_error }) => !is_error)).toHaveLength(3);
        expect(results.filter(({ is_error }) => is_error)).toMatchObject(
          calls.slice(1).map(() => ({ tool_output: expect.stringContaining('no more than 3') })),
        );
        expect(reader.list('TOOL_STARTED')).toHaveLength(3);
        expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
        const next = await server.api.say('many', script({ calls: calls.slice(0, 3) }));
        expect(next.list('TOOL_RESULT').map(({ is_error }) => is_error)).not.toContain(true);
      });
    });

    withPeople(servers, { TOOL_CALLS_PER_MINUTE: '3' }, (server) => {
      it('of a chat within a minute are, too', async () => {
        const calls = ['1+1', '2+2', '3+3', '4+4'].map(calculate);
        const reader = await server.api.say('fast', script({ calls }));
        expect(reader.list('TOOL_RESULT').filter(({ is_error }) => is_error)).toMatchObject([
          { tool_output: expect.stringContaining('within a minute') },
        ]);
        expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
      });
    });
  });

  describe('A call that is made again and again', () => {
    withPeople(servers, { PARK_AFTER_MS: '0' }, (server, person) => {
      const begin = async (chat: string, more: object = {}) => {
        const of = await server.api.begin(chat, { user_message: LOOP, ...more });
        return new Following(server.api, of);
      };

      it('is asked about once, though the server is restarted meanwhile, and a yes begins anew', async () => {
        const following = await begin('loop', {
          user_message: script(ONCE, ONCE, ONCE, ONCE, ONCE),
        });
        const { approval_id, reason } = await following.record('APPROVAL_REQUIRED');
        expect(reason).toMatch(/calculator .* 3 times in a row/);
        await restartParked(server, following);
        expect((await person.approve(following.of, approval_id)).status).toBe(200);
        expect(await outputs(following)).toEqual(['42', '42', '42', '42', '42']);
        expect(following.reader.types).not.toContain('RESUMED');
        expect(following.reader.list('APPROVAL_REQUIRED')).toHaveLength(1);
      });

      it('does not run when a person says no, and the agent goes on', async () => {
        const following = await begin('declined-call');
        const { approval_id } = await following.record('APPROVAL_REQUIRED');
        await person.reject(following.of, approval_id, { reason: 'You know that.' });
        expect(await outputs(following)).toEqual([
          ...['42', '42', expect.stringContaining('You know that.')],
          '2',
        ]);
      });

      it('goes on with a notice where all is approved, and ends with an error where nothing is', async () => {
        const going = await begin('auto', { approval_mode: 'auto' });
        expect(await outputs(going)).toEqual(['42', '42', '42', '2']);
        expect(going.reader.list('NOTICE')).toMatchObject([{ code: 'repeated_call' }]);
        const refused = await begin('deny', { approval_mode: 'deny' });
        const told = expect.stringContaining('nothing new came of it');
        expect(await outputs(refused)).toEqual(['42', '42', told, '2']);
        expect(refused.reader.types).not.toContain('APPROVAL_REQUIRED');
      });

      it('counts among those of one turn', async () => {
        const calls = [1, 2, 3].map(() => calculate('6*7'));
        const following = await begin('turn', { user_message: script({ calls }) });
        const { approval_id, tool_call_id } = await following.record('APPROVAL_REQUIRED');
        const made = following.reader.list('TOOL_CALL');
        expect(tool_call_id).toBe(made[2]?.id);
        await person.approve(following.of, approval_id);
        expect(await outputs(following)).toEqual(['42', '42', '42']);
      });
    });
  });
}

/** Once it is nothing but a row. */
async function restartParked(server: ServerUnderTest, following: Following): Promise<void> {
  await eventually(() => !server.runs(following.of.id));
  await server.restart();
  await following.resume(server.api);
}

async function outputs(following: Following): Promise<string[]> {
  const reader = await following.end();
  expect(reader.faults).toEqual([]);
  expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
  return reader.list('TOOL_RESULT').map(({ tool_output }) => tool_output);
}
