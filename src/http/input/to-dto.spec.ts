import 'reflect-metadata';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsObject, IsOptional, IsString, ValidateNested } from 'class-validator';
import { toDto } from './to-dto.js';

class ToolDto {
  @IsString()
  name: string;

  @IsObject()
  schema: object;

  @IsOptional()
  @ArrayMaxSize(1)
  names?: string[];
}

class ThingDto {
  @IsOptional()
  @Type(() => Number)
  count: number = 7;

  @IsOptional()
  @IsObject()
  free?: object;

  @IsOptional()
  @ValidateNested()
  @Type(() => ToolDto)
  tool?: ToolDto;

  @IsOptional()
  @ArrayMaxSize(2)
  @ValidateNested({ each: true })
  @Type(() => ToolDto)
  tools?: ToolDto[];
}

class BiggerThingDto extends ThingDto {}

describe(toDto.name, () => {
  const free = { type: 'object', properties: { a: [{}] } };

  it('makes instances of the class and of the nested ones, by their rules', () => {
    const { count, tool, tools } = toDto(BiggerThingDto, {
      count: '3',
      tool: { name: 'a' },
      tools: [{ name: 'b' }],
    });
    expect([count, toDto(ThingDto, {}).count]).toEqual([3, 7]);
    expect(tool).toBeInstanceOf(ToolDto);
    expect(tool).toEqual({ name: 'a' });
    expect(tools?.[0]).toBeInstanceOf(ToolDto);
    expect(tools).toEqual([{ name: 'b' }]);
  });

  it('takes free JSON as it is, at any level', () => {
    const sent = { free, tool: { schema: free }, tools: [{ schema: free }] };
    const dto = toDto(ThingDto, sent);
    expect(dto).toMatchObject(sent);
    expect(dto.free).toBe(free);
    expect(dto.tool?.schema).toBe(free);
    expect(dto.tools?.[0]?.schema).toBe(free);
  });

  it('takes one item more than allowed, at any level', () => {
    const { tools } = toDto(ThingDto, {
      tools: [1, 2, 3, 4].map(() => ({ names: ['a', 'a', 'a'] })),
    });
    expect(tools).toHaveLength(3);
    expect(tools?.[0]?.names).toEqual(['a', 'a']);
  });

  it('leaves what is no object to the validator, except for lists in lists', () => {
    const { tool, tools } = toDto(ThingDto, { tool: 'a', tools: ['a', [[{}]], null] });
    expect([tool, tools]).toEqual(['a', ['a', null, null]]);
    expect(toDto(ThingDto, 'a')).toBe('a');
  });
});
