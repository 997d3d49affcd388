import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { PageQueryDto } from '../http/input/page-query.dto.js';
import { AuditTrail } from './audit-trail.js';
import { auditList } from './audit-entry.js';
import type { AuditPage } from './audit-entry.js';
import { ApiAnswer } from '../http/openapi/answer.js';

@ApiTags('audit')
@Access('admin')
@Controller('audit')
export class AuditController {
  constructor(private readonly trail: AuditTrail) {}

  @Get()
  @ApiOperation({
    summary: 'List what users did, newest first',
    description: 'Entries stay when the chat that they are about is deleted.',
  })
  @ApiAnswer(200, auditList)
  @ApiResponse({ status: 400 })
  list(@Caller() caller: Principal, @Query() query: PageQueryDto): Promise<AuditPage> {
    return this.trail.list(caller, query);
  }
}
