import { Clock } from '../../kernel/clock.js';
import { CurrentTimeTool } from './current-time.tool.js';

class FixedClock extends Clock {
  constructor(private readonly at: string) {
    super();
  }

  now(): Date {
    return new Date(this.at);
  }

  monotonic(): number {
    return 0;
  }
}

function timeAt(at: string, timezone?: string): string {
  return new CurrentTimeTool(new FixedClock(at)).execute({ timezone });
}

describe(CurrentTimeTool.name, () => {
  it.each([
    ['2026-01-15T10:00:00.000Z', undefined, '2026-01-15T10:00:00+00:00 (Thursday, UTC)'],
    ['2026-01-15T10:00:00.000Z', '', '2026-01-15T10:00:00+00:00 (Thursday, UTC)'],
    [
      '2026-07-15T10:00:00.000Z',
      'Europe/Berlin',
      '2026-07-15T12:00:00+02:00 (Wednesday, Europe/Berlin)',
    ],
    [
      '2026-01-15T23:30:00.000Z',
      'Asia/Kolkata',
      '2026-01-16T05:00:00+05:30 (Friday, Asia/Calcutta)',
    ],
    [
      '2026-01-15T00:00:00.000Z',
      'America/New_York',
      '2026-01-14T19:00:00-05:00 (Wednesday, America/New_York)',
    ],
    [
      '2026-01-15T10:00:00.000Z',
      'europe/london',
      '2026-01-15T10:00:00+00:00 (Thursday, Europe/London)',
    ],
  ])('tells the time of %s in the zone %s', (at, timezone, text) => {
    expect(timeAt(at, timezone)).toBe(text);
  });

  it.each(['Mars/Olympus', 'Berlin', '../etc'])(
    'names examples when asked for the zone %s',
    (zone) => {
      expect(() => timeAt('2026-01-15T10:00:00.000Z', zone)).toThrow(
        /no time zone.*Europe\/Berlin/,
      );
    },
  );
});
