import { ApiProperty } from '@nestjs/swagger';
import { Matches, MaxLength } from 'class-validator';

export class CreateTicketDto {
  @ApiProperty({
    example: '/chats/chat_123/interactions/int_0199c0de-0000-7000-8000-000000000000/events',
    description: 'As it will stand in the URL, without the host; a query is ignored.',
  })
  @MaxLength(1024)
  @Matches(/^\/(?!\/)[\x21\x22\x24-\x7e]*$/, {
    message: '$property must be the path of a URL, which begins with /',
  })
  path: string;
}
