/* oxlint-disable typescript/no-unsafe-enum-assignment -- numbers, as an exporter answers */
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { Telemetry } from '../../telemetry/telemetry.js';
import { SpanQueue } from './span-queue.js';

type Done = Parameters<SpanExporter['export']>[1];

interface Request {
  readonly names: readonly string[];
  answer(code: 0 | 1): void;
}

const MAX_SPANS = 8_192;
const BATCH_SPANS = 2_048;

function spanOf(name: string, text = ''): ReadableSpan {
  return { name, attributes: { text }, events: [] } as unknown as ReadableSpan;
}

describe(SpanQueue.name, () => {
  let requests: Request[];
  let dropped: Record<string, number>;
  let aborts: number;
  let failing: boolean;
  let queue: SpanQueue;
  let warned: jest.SpiedFunction<Logger['warn']>;

  beforeEach(() => {
    jest.useFakeTimers();
    warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    [requests, dropped, aborts, failing] = [[], {}, 0, false];
    const telemetry = new Telemetry();
    telemetry.on('spans_dropped', ({ reason, count }) => {
      dropped[reason] = (dropped[reason] ?? 0) + count;
    });
    const exporter = {
      export: (spans: ReadableSpan[], done: Done) => {
        if (failing) throw new Error('not a span');
        requests.push({ names: spans.map(({ name }) => name), answer: (code) => done({ code }) });
      },
      shutdown: async () => {},
    } as unknown as SpanExporter;
    const abort = () => {
      aborts++;
      requests.at(-1)!.answer(1);
    };
    queue = new SpanQueue({ exporter, abort, telemetry });
  });
  afterEach(() => {
    warned.mockRestore();
    jest.useRealTimers();
  });

  const fill = (count: number, text = ''): void => {
    for (let n = 0; n < count; n++) queue.add(spanOf(`${n}`, text));
  };

  it('sends the spans of a second together, one request after the other', async () => {
    fill(3);
    expect(requests).toEqual([]);
    await jest.advanceTimersByTimeAsync(1_000);
    queue.add(spanOf('later'));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(requests.map(({ names }) => names)).toEqual([['0', '1', '2']]);
    requests[0]!.answer(0);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(requests[1]!.names).toEqual(['later']);
  });

  it('sends at once when there is enough for a request, and what is left at the end', async () => {
    fill(BATCH_SPANS + 1);
    await jest.advanceTimersByTimeAsync(0);
    expect(requests[0]!.names).toHaveLength(BATCH_SPANS);
    const ended = queue.shutdown();
    requests[0]!.answer(0);
    await jest.advanceTimersByTimeAsync(0);
    requests[1]!.answer(0);
    await ended;
    expect(requests[1]!.names).toEqual([`${BATCH_SPANS}`]);
    expect(dropped).toEqual({});
  });

  it('drops and counts those that are too many, also while a request does not end', async () => {
    fill(MAX_SPANS);
    await jest.advanceTimersByTimeAsync(0);
    fill(5);
    expect(dropped).toEqual({ queue_full: 5 });
    expect(warned).toHaveBeenCalledTimes(1);
    requests[0]!.answer(0);
    await jest.advanceTimersByTimeAsync(0);
    fill(5);
    expect(dropped).toEqual({ queue_full: 5 });
  });

  it('drops and counts those whose texts are too long together', async () => {
    fill(20, 'x'.repeat(1024 * 1024));
    expect(dropped).toEqual({ queue_full: 4 });
    for (let n = 0; n < 16; n++) {
      await jest.advanceTimersByTimeAsync(0);
      expect(requests[n]!.names).toEqual([`${n}`]);
      requests[n]!.answer(0);
    }
  });

  it('counts those that the collector did not take', async () => {
    fill(3);
    await jest.advanceTimersByTimeAsync(1_000);
    requests[0]!.answer(1);
    await jest.advanceTimersByTimeAsync(0);
    expect(dropped).toEqual({ not_exported: 3 });
  });

  it('goes on after spans that can not be encoded', async () => {
    failing = true;
    fill(2);
    await jest.advanceTimersByTimeAsync(1_000);
    failing = false;
    queue.add(spanOf('later'));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(dropped).toEqual({ not_exported: 2 });
    expect(requests[0]!.names).toEqual(['later']);
  });

  it('ends a request that takes too long, and goes on', async () => {
    fill(3);
    await jest.advanceTimersByTimeAsync(13_000);
    expect([aborts, dropped]).toEqual([1, { not_exported: 3 }]);
    queue.add(spanOf('later'));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(requests[1]!.names).toEqual(['later']);
  });
});
