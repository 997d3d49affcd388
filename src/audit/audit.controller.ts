import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { ProblemDto } from '../http/errors/problem.dto.js';
import { PageQueryDto } from '../http/input/page-query.dto.js';
import { AuditTrail } from './audit-trail.js';
import { AuditListDto } from './dto/audit.dto.js';

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
  @ApiResponse({ status: 200, type: AuditListDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  list(@Caller() caller: Principal, @Query() query: PageQueryDto): Promise<AuditListDto> {
    return this.trail.list(caller, query);
  }
}
