import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Clock } from '../../kernel/clock.js';
import { ToolProvider } from '../core/tool-provider.decorator.js';
import { Tool } from '../core/tool.js';
import type { ToolPolicy } from '../core/tool.js';

const input = z.object({
  timezone: z
    .string()
    .trim()
    .max(64)
    .optional()
    .describe('IANA name, such as Europe/Berlin; UTC unless given.'),
});

@ToolProvider()
@Injectable()
export class CurrentTimeTool extends Tool<z.infer<typeof input>> {
  readonly name = 'current_time';
  readonly description =
    'Tells the current date, weekday and time, in UTC or in a time zone. Use it whenever an answer depends on what day or time it is.';
  readonly input = input;
  readonly policy: ToolPolicy = {
    category: 'read',
    read_only: true,
    risk: 'low',
    recovery: 'rerun',
  };

  constructor(private readonly clock: Clock) {
    super();
  }

  execute({ timezone }: z.infer<typeof input>): string {
    return formatTime(this.clock.now(), requireTimezone(timezone || 'UTC'));
  }
}

/** Formats a time in a time zone: `2026-01-15T11:00:00+01:00 (Thursday, Europe/Berlin)`. */
function formatTime(at: Date, timezone: string): string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: timezone,
    weekday: 'long',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  const part = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const date = `${part.get('year')}-${part.get('month')}-${part.get('day')}`;
  const time = `${part.get('hour')}:${part.get('minute')}:${part.get('second')}`;
  const offset = part.get('timeZoneName')?.replace('GMT', '') || '+00:00';
  return `${date}T${time}${offset} (${part.get('weekday')}, ${timezone})`;
}

/**
 * Returns the canonical name of the time zone.
 * @throws Error that names examples
 */
function requireTimezone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch (cause) {
    throw new Error(
      `There is no time zone ${JSON.stringify(name)}. Use an IANA name, such as UTC, Europe/Berlin, America/New_York or Asia/Tokyo.`,
      { cause },
    );
  }
}
