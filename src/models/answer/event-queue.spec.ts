import type { ModelEvent } from '../model-provider.js';
import { EventQueue } from './event-queue.js';

const text = (delta: string): ModelEvent => ({ type: 'text_delta', delta });
const args = (index: number, delta: string): ModelEvent => ({
  type: 'tool_call_args_delta',
  index,
  delta,
});
const trace: ModelEvent = { type: 'trace', name: 'x', detail: 1 };

function start(): { queue: EventQueue; calls: string[] } {
  const calls: string[] = [];
  const queue = new EventQueue({
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    stop: () => calls.push('stop'),
  });
  return { queue, calls };
}

async function drain(queue: EventQueue): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of queue) events.push(event);
  return events;
}

describe(EventQueue.name, () => {
  it('merges adjacent deltas of one kind and one call', async () => {
    const { queue } = start();
    for (const event of [
      text('a'),
      text('b'),
      trace,
      text('c'),
      args(0, '{'),
      args(0, '}'),
      args(1, '{'),
    ])
      queue.push(event);
    queue.end();
    expect(await drain(queue)).toEqual([text('ab'), trace, text('c'), args(0, '{}'), args(1, '{')]);
  });

  it('wakes a waiting consumer at the flush', async () => {
    const { queue } = start();
    const next = queue.next();
    queue.push(text('a'));
    queue.push(text('b'));
    queue.flush();
    expect(await next).toEqual({ value: text('ab'), done: false });
  });

  it('hands over what came before an error, then the error once', async () => {
    const { queue } = start();
    queue.push(text('a'));
    queue.fail(new Error('broken'));
    expect((await queue.next()).value).toEqual(text('a'));
    await expect(queue.next()).rejects.toThrow('broken');
    expect((await queue.next()).done).toBe(true);
  });

  it('pauses its source while the consumer lags', async () => {
    const { queue, calls } = start();
    queue.push(text('x'.repeat(70_000)));
    queue.flush();
    queue.push(text('y'));
    queue.flush();
    expect(calls).toEqual(['pause']);
    await queue.next();
    expect(calls).toEqual(['pause', 'resume']);
  });

  it('stops its source when the consumer leaves, and drops the rest', async () => {
    const { queue, calls } = start();
    queue.push(text('a'));
    for await (const event of queue) {
      expect(event).toEqual(text('a'));
      break;
    }
    queue.push(text('b'));
    expect(calls).toEqual(['stop']);
    expect((await queue.next()).done).toBe(true);
  });
});
