import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsISO8601,
  IsOptional,
  Matches,
} from 'class-validator';
import { SCOPES, USER_ID } from '../../auth/principal.js';
import type { Scope } from '../../auth/principal.js';
import { PageQueryDto } from '../../http/input/page-query.dto.js';
import { NamesTenant } from '../../auth/tenant-id.decorator.js';
import type { CreateKey, ListKeys } from '../keys.service.js';

export class CreateKeyDto implements CreateKey {
  @ApiProperty({ example: 'ann', description: 'The user that the key acts as.' })
  @Matches(USER_ID, { message: '$property must be 1 to 255 printable characters' })
  user_id: string;

  @ApiProperty({ enum: SCOPES, isArray: true, example: ['chat', 'decide'] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsIn(SCOPES, { each: true })
  scopes: Scope[];

  @NamesTenant()
  tenant_id?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', nullable: true })
  @IsOptional()
  @IsISO8601({ strict: true })
  expires_at?: string | null;
}

export class ListKeysQueryDto extends PageQueryDto implements ListKeys {
  @NamesTenant()
  tenant_id?: string;
}

export class KeyIdDto {
  @ApiProperty({ example: '5f1c2a90b7e84d3f6a1b2c3d' })
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, {
    message: '$property must be 1 to 64 letters, digits, _ or -',
  })
  id: string;
}
