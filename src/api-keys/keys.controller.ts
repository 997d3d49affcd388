import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { Access } from '../auth/access.decorator.js';
import { CreateKeyDto, KeyIdDto, ListKeysQueryDto } from './dto/key.dto.js';
import { KeysService } from './keys.service.js';
import { createdKey, keyList } from './shown-key.js';
import type { CreatedKey, KeyPage } from './shown-key.js';
import { ApiAnswer } from '../http/openapi/answer.js';

@ApiTags('access')
@Access('admin')
@Controller('keys')
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  @Post()
  @ApiOperation({
    summary: 'Make an API key',
    description: 'The answer has the key itself, once; only its hash is kept.',
  })
  @ApiAnswer(201, createdKey)
  @ApiResponse({ status: 400 })
  @ApiResponse({ status: 409, description: 'The tenant has too many.' })
  create(@Caller() caller: Principal, @Body() body: CreateKeyDto): Promise<CreatedKey> {
    return this.keys.create(caller, body);
  }

  @Get()
  @ApiOperation({ summary: 'List the API keys of a tenant, without their secrets' })
  @ApiAnswer(200, keyList)
  @ApiResponse({ status: 400 })
  list(@Caller() caller: Principal, @Query() query: ListKeysQueryDto): Promise<KeyPage> {
    return this.keys.list(caller, query);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete an API key',
    description: 'It stops working within 2 s, and the streams that it opened end.',
  })
  @ApiResponse({ status: 204 })
  @ApiResponse({ status: 404 })
  delete(@Caller() caller: Principal, @Param() { id }: KeyIdDto): Promise<void> {
    return this.keys.delete(caller, id);
  }
}
