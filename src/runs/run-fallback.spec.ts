import type { AgentContext } from '../agents/agent-context.js';
import type { ModelUsage } from '../persistence/rows/append-rows.js';
import { ModelError } from '../models/model-error.js';
import { answerTurn, textDelta, thinkingDelta } from '../../test/support/model/model-events.js';
import { RunWorld } from '../../test/support/runs/run-world.js';
import { turnsByModel, type Tries } from '../../test/support/model/turns-by-model.js';
import { Run } from './run.js';

const CHAIN = 'fake/a, fake/b';
const busy = (): ModelError =>
  new ModelError('model_overloaded', 'A is busy.', { retryable: true });
const wrong = (): ModelError => new ModelError('model_refused', 'A says no.', { retryable: false });
const chained = async (ctx: AgentContext): Promise<void> =>
  void (await ctx.generate({ model: CHAIN }));

async function play(scripts: Readonly<Record<string, Tries>>) {
  const provider = turnsByModel(scripts);
  const world = await RunWorld.open({ agent: chained, provider });
  await world.run();
  return { world, asked: provider.requests.map(({ model }) => model) };
}

describe(Run.name, () => {
  describe('with a chain of models', () => {
    it('asks the next at once when one fails before its first word, and says so', async () => {
      const { world, asked } = await play({ a: [[busy()]], b: [answerTurn('From b')] });
      expect(asked).toEqual(['a', 'b']);
      expect(await world.all('NOTICE')).toEqual([
        {
          type: 'NOTICE',
          code: 'model_fallback',
          message: 'fake/a failed: A is busy. fake/b is asked instead.',
        },
      ]);
      expect(await world.all('TURN_COMPLETED')).toMatchObject([{ model: 'fake/b' }]);
      expect(await world.all('ANSWER')).toMatchObject([{ content: 'From b' }]);
    });

    it('asks nobody else while the first one answers', async () => {
      const { world, asked } = await play({ a: [answerTurn('From a')], b: [[busy()]] });
      expect(asked).toEqual(['a']);
      expect(await world.all('TURN_COMPLETED')).toMatchObject([{ model: 'fake/a' }]);
    });

    it('asks nobody else when trying again makes no sense', async () => {
      const { world, asked } = await play({ a: [[wrong()]], b: [answerTurn('From b')] });
      expect(asked).toEqual(['a']);
      expect(await world.all('ERROR')).toMatchObject([{ code: 'model_refused' }]);
    });

    it('stays with a model that has begun to speak, whose first try is void', async () => {
      const { world, asked } = await play({
        a: [[thinkingDelta('Hm'), textDelta('Half'), busy()], answerTurn('Whole')],
        b: [answerTurn('From b')],
      });
      expect(asked).toEqual(['a', 'a']);
      const [notice] = await world.all('NOTICE');
      expect(notice).toMatchObject({
        code: 'model_retry',
        void: [expect.any(String), expect.any(String)],
      });
      const [answer] = await world.all('ANSWER');
      expect(answer).toMatchObject({ content: 'Whole' });
      expect(notice!.void).not.toContain(answer!.block_id);
    });

    it('goes on with the next when the second try fails before its first word', async () => {
      const { world, asked } = await play({
        a: [[textDelta('Half'), busy()], [busy()]],
        b: [answerTurn('From b')],
      });
      expect(asked).toEqual(['a', 'a', 'b']);
      expect((await world.all('NOTICE')).map(({ code }) => code)).toEqual([
        'model_retry',
        'model_fallback',
      ]);
    });

    it('tries the last again after a while, and says which one failed in the end', async () => {
      const { world, asked } = await play({ a: [[busy()]], b: [[busy()], [wrong()]] });
      expect(asked).toEqual(['a', 'b', 'b']);
      expect((await world.all('NOTICE')).map(({ code }) => code)).toEqual([
        'model_fallback',
        'model_retry',
      ]);
      expect(await world.all('TURN_COMPLETED')).toMatchObject([
        { model: 'fake/b', finish_reason: 'error', error: { code: 'model_refused' } },
      ]);
    });

    it('counts an estimate of what attempts used, if the turn fails after some words', async () => {
      const cut = [textDelta('Half of it'), wrong()];
      const { world } = await play({ a: [[busy()]], b: [[textDelta('Half'), busy()], cut] });
      const [turn] = await world.all('TURN_COMPLETED');
      const { usage, ...rest } = turn!;
      expect(rest).toMatchObject({ finish_reason: 'error', usage_estimated: true });
      expect(usage.output_tokens).toBe(1 + 3); // of 4 and 10 characters
      expect(usage.input_tokens % 2).toBe(0); // two requests that are the same
      expect(usage.input_tokens).toBeGreaterThan(0);
      expect((await world.row()).usage).toEqual(usage);
    });

    it('counts each turn at the model that gave it, those of earlier runs included', async () => {
      const provider = turnsByModel({
        a: [[busy()], answerTurn('From a')],
        b: [answerTurn('From b')],
      });
      const saved: (readonly ModelUsage[])[] = [];
      let isLost = true;
      const agent = async (ctx: AgentContext): Promise<void> => {
        await ctx.generate({ model: CHAIN });
        if (isLost) await new Promise(() => {}); // this process gets no further
        await ctx.generate({ model: 'fake/a' });
      };
      const world = await RunWorld.open({ agent, provider });
      const lost = await world.takeUp();
      void lost!.execute();
      while ((await world.all('TURN_COMPLETED')).length === 0)
        await new Promise((resolve) => setImmediate(resolve));
      isLost = false;
      await world.run({
        append: (batches) => {
          for (const { usage_by_model } of batches) if (usage_by_model) saved.push(usage_by_model);
          return world.store.append(batches);
        },
      });
      const turns = await world.all('TURN_COMPLETED');
      expect(turns.map(({ model }) => model)).toEqual(['fake/b', 'fake/a']);
      const unpriced_tokens = expect.any(Number) as number;
      expect(saved.at(-1)).toEqual(
        turns.map(({ model, usage }) => ({ model, ...usage, unpriced_tokens })),
      );
    });

    it('counts nothing of attempts that were refused', async () => {
      const { world } = await play({ a: [[wrong()]] });
      const [turn] = await world.all('TURN_COMPLETED');
      expect(turn).toMatchObject({ usage: { input_tokens: 0, output_tokens: 0 } });
      expect(turn).not.toHaveProperty('usage_estimated');
    });

    it('does not ask again on a replay, whoever would answer now', async () => {
      const provider = turnsByModel({
        a: [[busy()], answerTurn('From a')],
        b: [answerTurn('From b')],
      });
      const texts: string[] = [];
      let isLost = true;
      const agent = async (ctx: AgentContext): Promise<void> => {
        const { text } = await ctx.generate({ model: CHAIN });
        texts.push(text);
        if (isLost) await new Promise(() => {}); // this process gets no further
      };
      const world = await RunWorld.open({ agent, provider });
      const lost = await world.takeUp();
      void lost!.execute();
      while (texts.length === 0) await new Promise((resolve) => setImmediate(resolve));
      isLost = false;
      await world.run();
      expect(texts).toEqual(['From b', 'From b']);
      expect(provider.requests).toHaveLength(2);
      expect(await world.all('TURN_COMPLETED')).toMatchObject([{ model: 'fake/b' }]);
      expect((await world.row()).status).toBe('COMPLETED');
    });

    it('fails where somebody is named whom nobody serves', async () => {
      const agent = async (ctx: AgentContext): Promise<void> =>
        void (await ctx.generate({ model: 'fake/a,nobody/b' }));
      const world = await RunWorld.open({ agent });
      await world.run();
      expect(await world.all('TURN_COMPLETED')).toMatchObject([
        { error: { code: 'unknown_model' } },
      ]);
      expect(await world.all('ERROR')).toMatchObject([{ code: 'unknown_model' }]);
    });
  });
});
