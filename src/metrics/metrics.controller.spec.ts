import type { Response } from 'express';
import { MetricsController } from './metrics.controller.js';

describe(MetricsController.name, () => {
  it('formats the series once for all that ask meanwhile', async () => {
    let scrapes = 0;
    const none = { counts: {}, awaySince: undefined, count: 0, list: () => [] };
    const controller: MetricsController = Reflect.construct(MetricsController, [
      { scrape: async () => `text ${++scrapes}`, contentType: 'text/plain' },
      { ...none, countWaiting: async () => 0, longestWait: async () => 0 },
      none,
      none,
      none,
      { counts: async () => [] },
      none,
      { now: () => new Date() },
    ]);
    const sent: string[] = [];
    const response = { type: () => ({ send: (text: string) => sent.push(text) }) };
    const ask = (): Promise<void> => controller.scrape(response as unknown as Response);
    await Promise.all([ask(), ask()]);
    await ask();
    expect(sent).toEqual(['text 1', 'text 1', 'text 2']);
  });
});
