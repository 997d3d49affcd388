import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ProblemDto } from '../../http/errors/problem.dto.js';

/** Why an interaction can't start. */
export class ChatBusyDto extends ProblemDto {
  @ApiPropertyOptional({
    example: 'int_0199c0de-0000-7000-8000-000000000000',
    description: 'With `/problems/chat_busy`: the interaction that holds the chat.',
  })
  readonly active_interaction_id?: string;
}

/** Why an interaction can't be cancelled. */
export class AlreadyEndedDto extends ProblemDto {
  @ApiProperty({ enum: ['COMPLETED', 'FAILED', 'CANCELLED'], description: 'How it had ended.' })
  readonly interaction_status: string;
}
