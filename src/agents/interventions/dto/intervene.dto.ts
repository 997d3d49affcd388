import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsNotEmpty, IsString, MaxLength, ValidateIf } from 'class-validator';
import type { WantedIntervention } from '../interventions.service.js';

const MAX_COMMENT = 8_192;
const MAX_CONTENT = 32_768;

export class InterveneDto implements WantedIntervention {
  @ApiProperty({
    description:
      '`delete` stops the agent and all below it; `modify` changes its task to `user_content`; anything else is a note that it reads before its next turn.',
    example: 'Look at the tests first.',
    maxLength: MAX_COMMENT,
  })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_COMMENT)
  user_comment: string;

  @ApiPropertyOptional({
    description: 'Needed to `modify`. With a note it follows it; with `delete` it says why.',
    maxLength: MAX_CONTENT,
  })
  @ValidateIf(({ user_comment, user_content }: InterveneDto) =>
    user_comment === 'modify' ? true : user_content !== undefined,
  )
  @IsString({ message: 'user_content must be a string; to modify an agent, say what it is to do' })
  @IsNotEmpty()
  @MaxLength(MAX_CONTENT)
  user_content?: string;
}
