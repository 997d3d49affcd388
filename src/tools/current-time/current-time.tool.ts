import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Clock } from '../../kernel/clock.js';
import { ToolProvider } from '../tool-provider.decorator.js';
import { Tool } from '../tool.js';
import type { ToolPolicy } from '../tool.js';
import { formatTime } from './format-time.js';
import { requireTimezone } from './require-timezone.js';

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
