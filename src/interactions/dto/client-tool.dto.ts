import { ApiProperty } from '@nestjs/swagger';
import { IsObject, IsString, Matches, MaxLength } from 'class-validator';
import { MaxJsonLength } from '../../http/input/max-json-length.js';
import type { ClientTool } from '../../persistence/rows/store-rows.js';

/** A tool that the caller runs itself. */
export class ClientToolDto implements ClientTool {
  @ApiProperty({ example: 'open_door' })
  @Matches(/^[a-zA-Z0-9_-]{1,64}$/, { message: 'name must be 1 to 64 letters, digits, _ or -' })
  name: string;

  @ApiProperty({ description: 'For the model: what it does, when to use it.' })
  @IsString()
  @MaxLength(4000)
  description: string;

  @ApiProperty({ type: Object, description: 'JSON Schema of an object.' })
  @IsObject()
  @MaxJsonLength(32_768)
  input_schema: Record<string, unknown>;
}
