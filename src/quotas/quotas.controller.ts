import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { ApiAnswer } from '../http/openapi/answer.js';
import { quotaList } from './listed-quotas.js';
import type { QuotaList } from './listed-quotas.js';
import { Quotas } from './quotas.js';

@ApiTags('operations')
@Access('operate')
@Controller('quotas')
export class QuotasController {
  constructor(private readonly quotas: Quotas) {}

  @Get()
  @ApiOperation({ summary: 'The quotas of your tenant, and what it has used of them' })
  @ApiAnswer(200, quotaList)
  async list(@Caller() { tenant_id }: Principal): Promise<QuotaList> {
    return { items: await this.quotas.list(tenant_id) };
  }
}
