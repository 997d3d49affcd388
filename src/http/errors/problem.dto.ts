import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

class FieldFaultDto {
  @ApiProperty({ example: 'client_tools.0.name', description: 'Path of the field.' })
  readonly field: string;

  @ApiProperty({ example: 'must be a string' })
  readonly message: string;
}

/** An error in the OpenAPI document. */
@ApiSchema({
  name: 'Problem',
  description: 'An error (RFC 9457). Some have more members than these.',
})
export class ProblemDto {
  @ApiProperty({
    example: '/problems/not_found',
    description: 'Stable identifier of the kind of error.',
  })
  readonly type: string;

  @ApiProperty({ example: 'Not found' })
  readonly title: string;

  @ApiProperty({ example: 404, description: 'The HTTP status.' })
  readonly status: number;

  @ApiProperty({ description: 'What happened and how to fix it.' })
  readonly detail: string;

  @ApiProperty({ example: '/chats/none', description: 'Path of the request.' })
  readonly instance: string;

  @ApiPropertyOptional({ type: [FieldFaultDto], description: 'One per invalid field.' })
  readonly errors?: readonly FieldFaultDto[];
}
