import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { InteractionIdDto } from '../../http/input/ids.dto.js';

const MAX_SEQ = 2 ** 31 - 2;

export class ResultImageDto extends InteractionIdDto {
  @ApiProperty({ minimum: 1, description: 'Of a `TOOL_RESULT`.', example: 7 })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MAX_SEQ)
  seq: number;

  @ApiProperty({ minimum: 0, description: 'Position in its `images`, from 0.', example: 0 })
  @Type(() => Number)
  @IsInt()
  @Min(0)
  index: number;
}
