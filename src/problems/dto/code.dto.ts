import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';

export class CodeDto {
  @ApiProperty({ example: 'chat_busy' })
  @Matches(/^[a-z_]{1,64}$/, { message: 'code must be 1 to 64 lower case letters or _' })
  code: string;
}
