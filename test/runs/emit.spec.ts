import { InteractionView } from '../../src/interactions/interaction-view.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { RunWorld } from '../support/runs/run-world.js';
import type { AgentFunction } from '../support/runs/run-world.js';

async function ran(agent: AgentFunction): Promise<RunWorld> {
  const world = await RunWorld.open({ agent });
  await world.run();
  await expectEnded(world);
  return world;
}

function code(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );
}

describe('ctx.emit', () => {
  it('sends readers an event of the agent’s own', async () => {
    const world = await ran(async (ctx) => {
      await ctx.emit('progress', { done: 1, of: [2, null] });
      await ctx.emit('bare', undefined);
    });
    expect(await world.all('CUSTOM')).toMatchObject([
      { name: 'progress', data: { done: 1, of: [2, null] } },
      { name: 'bare', data: null },
    ]);
  });

  it('is refused for what is too large, no JSON, or has no name', async () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const codes: unknown[] = [];
    const world = await ran(async (ctx) => {
      codes.push(await code(ctx.emit('fits', 'x'.repeat(16 * 1024 - 2))));
      codes.push(await code(ctx.emit('large', 'x'.repeat(16 * 1024 - 1))));
      codes.push(await code(ctx.emit('circular', circular)));
      codes.push(await code(ctx.emit('function', () => 1)));
      codes.push(await code(ctx.emit('', 1)));
      codes.push(await code(ctx.emit('x'.repeat(65), 1)));
    });
    expect(codes).toEqual(['done', ...Array.from({ length: 5 }, () => 'invalid_event')]);
    expect(await world.all('CUSTOM')).toMatchObject([{ name: 'fits' }]);
  });
});

describe('ctx.setMetadata', () => {
  it('shows in the interaction, the last value of a key, and null removes it', async () => {
    const world = await ran(async (ctx) => {
      await ctx.setMetadata('ticket', 'T-1');
      await ctx.setMetadata('ticket', { id: 'T-2' });
      await ctx.setMetadata('gone', 1);
      await ctx.setMetadata('gone', null);
      await ctx.setMetadata('__proto__', { polluted: true });
    });
    const view = await new InteractionView(world.store, world.store).one(await world.row());
    expect(Object.entries(view.metadata)).toEqual([
      ['ticket', { id: 'T-2' }],
      ['__proto__', { polluted: true }],
    ]);
    expect(view.agent_events.map(({ type }) => type)).not.toContain('METADATA_SET');
  });

  it('is refused after 256 times, and for a value over 4 KB', async () => {
    const codes: unknown[] = [];
    await ran(async (ctx) => {
      codes.push(await code(ctx.setMetadata('large', 'x'.repeat(4096))));
      for (let n = 0; n < 255; n++) await ctx.setMetadata('n', n);
      codes.push(await code(ctx.setMetadata('n', 'more')));
    });
    expect(codes).toEqual(['invalid_event', 'invalid_event']);
  });
});
