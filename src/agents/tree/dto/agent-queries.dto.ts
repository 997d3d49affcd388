import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PageQueryDto } from '../../../http/input/page-query.dto.js';
import { IsOptional, Matches } from 'class-validator';

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const RULE = { message: '$property must be 1 to 64 letters, digits, _ or -' };

export class TreeQueryDto extends PageQueryDto {
  @ApiPropertyOptional()
  @IsOptional()
  @Matches(ID, RULE)
  chat_id?: string;

  @ApiPropertyOptional({
    description: 'The one that the chat works on, or worked on last, unless given.',
  })
  @IsOptional()
  @Matches(ID, RULE)
  interaction_id?: string;
}

export class AgentIdDto {
  @ApiProperty({ example: 'agent_0199c0de-0000-7000-8000-000000000000' })
  @Matches(ID, RULE)
  agent_id: string;
}
