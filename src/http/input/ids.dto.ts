import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const RULE = { message: '$property must be 1 to 64 letters, digits, _ or -' };

export class ChatIdDto {
  @ApiProperty({ description: "A chat's id; clients may choose it.", example: 'chat_123' })
  @Matches(ID, RULE)
  chat_id: string;
}

export class InteractionIdDto extends ChatIdDto {
  @ApiProperty({ example: 'int_0199c0de-0000-7000-8000-000000000000' })
  @Matches(ID, RULE)
  interaction_id: string;
}
