import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Settled } from '../../persistence/rows/request-rows.js';
import type { Cause, Decider } from '../../protocol/events.js';

/** The author of a settlement. */
export class SettledDto implements Settled {
  @ApiProperty({ type: Object, allOf: [{ $ref: '#/components/schemas/Decider' }] })
  readonly by: Decider;

  @ApiPropertyOptional({ type: Object, allOf: [{ $ref: '#/components/schemas/Cause' }] })
  readonly cause?: Cause;
}
