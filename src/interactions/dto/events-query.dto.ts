import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';

class NamedQueryDto {
  @ApiPropertyOptional({
    enum: ['0', '1'],
    description:
      '0: frames have no `event:`, so that `EventSource.onmessage` gets all of them; `type` in the data tells the event.',
  })
  @IsOptional()
  @IsIn(['0', '1'])
  named?: '0' | '1';
}

/** How a stream shows events. */
export class StreamQueryDto extends NamedQueryDto {
  @ApiPropertyOptional({
    enum: ['0', '1'],
    description: '1: also provider events of unknown types.',
  })
  @IsOptional()
  @IsIn(['0', '1'])
  trace?: '0' | '1';
}

export class StartQueryDto extends StreamQueryDto {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    description:
      'true: answer 200 with the finished interaction; 202 when it needs a person, or after 60 s. The header `Prefer: wait` does the same, `wait=<seconds>` for a shorter time.',
  })
  @IsOptional()
  @IsIn(['true', 'false'])
  wait?: 'true' | 'false';
}

export class EventsQueryDto extends StreamQueryDto {
  @ApiPropertyOptional({
    description:
      'The id of the last event you have; `Last-Event-ID` beats it. Without, from the beginning.',
    example: '0',
  })
  @IsOptional()
  @IsString()
  after?: string;
}

export class ChatEventsQueryDto extends StreamQueryDto {
  @ApiPropertyOptional({
    description:
      'The id of the last event you have; `Last-Event-ID` beats it. 0: from the first interaction on. Without, from the active one on.',
    example: '0',
  })
  @IsOptional()
  @IsString()
  after?: string;
}

export class FeedQueryDto extends NamedQueryDto {
  @ApiPropertyOptional({
    description: 'Accepted, as by all streams; says nothing here.',
    example: '0',
  })
  @IsOptional()
  @IsString()
  after?: string;
}
