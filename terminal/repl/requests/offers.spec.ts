import { jest } from '@jest/globals';
import type { RequestState } from '../../../client/index.js';
import { MESSAGE } from '../mode.js';
import { Offers } from './offers.js';

const request = (id: string): RequestState => ({
  ...{ id, kind: 'approval', status: 'pending', interaction_id: 'int_1', agent_id: 'agent_1' },
  ...{ expires_at: null, settlement: null },
});

describe(Offers.name, () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('gives each request time to be read, before a key that was meant for something else decides', () => {
    const changed = jest.fn();
    const offers = new Offers(changed);
    const first = offers.settle(MESSAGE, [request('a'), request('b')], false);
    expect(offers.isRead(first)).toBe(false);
    jest.advanceTimersByTime(599);
    expect([offers.isRead(first), changed.mock.calls.length]).toEqual([false, 0]);
    jest.advanceTimersByTime(2);
    expect([offers.isRead(first), changed.mock.calls.length]).toEqual([true, 1]);
    const second = offers.settle(first, [request('b')], false);
    expect([second, offers.isRead(second)]).toMatchObject([{ request: { id: 'b' } }, false]);
    jest.advanceTimersByTime(601);
    expect(offers.isRead(second)).toBe(true);
  });

  it('gives it that time again once another program had the terminal', () => {
    const offers = new Offers(() => {});
    const mode = offers.settle(MESSAGE, [request('a')], false);
    jest.advanceTimersByTime(601);
    offers.renew();
    expect(offers.isRead(offers.settle(mode, [request('a')], false))).toBe(false);
    jest.advanceTimersByTime(601);
    expect(offers.isRead(mode)).toBe(true);
  });

  it('counts from when a request is first shown, and asks nothing of a message', () => {
    const offers = new Offers(() => {});
    expect(offers.isRead(offers.settle(MESSAGE, [request('a')], true))).toBe(true);
    const shown = offers.settle(MESSAGE, [request('a')], false);
    jest.advanceTimersByTime(400);
    const later = offers.settle(shown, [request('a'), request('b')], false);
    jest.advanceTimersByTime(201);
    expect(offers.isRead(later)).toBe(true);
  });
});
