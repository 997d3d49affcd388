import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';

export class TraceQueryDto {
  @ApiPropertyOptional({
    enum: ['0', '1'],
    description: '1: also provider events of unknown types.',
  })
  @IsOptional()
  @IsIn(['0', '1'])
  trace?: '0' | '1';
}

export class EventsQueryDto extends TraceQueryDto {
  @ApiPropertyOptional({
    description:
      'The id of the last event you have; `Last-Event-ID` beats it. Without, from the beginning.',
    example: '3',
  })
  @IsOptional()
  @IsString()
  after?: string;
}
