import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';

export class CodeDto {
  @ApiProperty({ example: 'chat_busy' })
  @Matches(/^[a-z_]{1,64}$/, { message: 'code must be 1 to 64 lower case letters or _' })
  code: string;
}

export class CodeMeaningDto {
  @ApiProperty({ example: '/problems/chat_busy' })
  readonly type: string;

  @ApiProperty({ example: 'chat_busy' })
  readonly code: string;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 409,
    description: 'The status of the problem over HTTP; null for a code of events only.',
  })
  readonly status: number | null;

  @ApiProperty({ example: 'An interaction runs, waits or is queued in the chat.' })
  readonly meaning: string;
}
