import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AUDIT_ACTIONS } from '../audit-entry.js';
import type { AuditAction, AuditDetail, AuditEntry } from '../audit-entry.js';

class AuditEntryDto implements AuditEntry {
  @ApiProperty()
  readonly id: string;

  @ApiProperty({ format: 'date-time' })
  readonly at: string;

  @ApiProperty()
  readonly tenant_id: string;

  @ApiProperty({ description: 'Who did it.' })
  readonly user_id: string;

  @ApiProperty({ enum: AUDIT_ACTIONS })
  readonly action: AuditAction;

  @ApiPropertyOptional()
  readonly chat_id?: string;

  @ApiPropertyOptional()
  readonly interaction_id?: string;

  @ApiProperty({
    type: Object,
    description: 'Ids, names of tools, scopes and counts: docs/operations.md lists them.',
    example: { approval_id: 'approval_1', tool_name: 'bash', modified: false },
  })
  readonly detail: AuditDetail;
}

export class AuditListDto {
  @ApiProperty({ type: [AuditEntryDto] })
  readonly items: readonly AuditEntryDto[];

  @ApiProperty({ type: String, nullable: true, description: 'null on the last page.' })
  readonly next_cursor: string | null;
}
