import { ApiPropertyOptional, OmitType, PartialType } from '@nestjs/swagger';
import { IsInt, Min, ValidateIf } from 'class-validator';
import { CreateTaskDto } from './create-task.dto.js';

/** What is left out stays. */
export class ChangeTaskDto extends PartialType(OmitType(CreateTaskDto, ['chat_id']), {
  skipNullProperties: false,
}) {
  @ApiPropertyOptional({
    minimum: 1,
    description: 'The version that you saw: if the task is at another one by now, nothing happens.',
  })
  @ValidateIf((_, value) => value !== undefined)
  @IsInt()
  @Min(1)
  version?: number;
}
