import { ApiProperty } from '@nestjs/swagger';
import { Max, Min } from 'class-validator';
import { DecimalInt } from '../../http/input/decimal-int.js';
import { InteractionIdDto } from '../../http/input/ids.dto.js';

const MAX_SEQ = 2 ** 31 - 2;

export class ResultImageDto extends InteractionIdDto {
  @ApiProperty({ minimum: 1, description: 'Of a `TOOL_RESULT`.', example: 7 })
  @DecimalInt()
  @Min(1)
  @Max(MAX_SEQ)
  seq: number;

  @ApiProperty({ minimum: 0, description: 'Position in its `images`, from 0.', example: 0 })
  @DecimalInt()
  @Min(0)
  index: number;
}
