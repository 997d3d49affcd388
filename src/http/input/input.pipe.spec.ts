import { Type } from 'class-transformer';
import {
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import type { AppError } from '../../kernel/app-error.js';
import { InputPipe } from './input.pipe.js';

class PartDto {
  @IsString()
  name: string;
}

class ThingDto {
  @IsString()
  @MaxLength(4)
  id: string;

  @IsString()
  @IsNotEmpty()
  @Matches(/^[a-z]*$/, { message: 'word must be lower case' })
  @MaxLength(4)
  word: string;

  @IsOptional()
  @IsInt()
  @Max(5)
  count?: number;

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => PartDto)
  parts?: PartDto[];
}

describe(InputPipe.name, () => {
  const faultsOf = async (body: object) => {
    const pipe = new InputPipe();
    const refused = pipe.transform(body, { type: 'body', metatype: ThingDto });
    const { message, errors } = await refused.then(
      () => ({ message: '', errors: [] }),
      (error: AppError) => error,
    );
    return { message, errors: errors.map((fault) => [fault.field, fault.message]) };
  };

  it('says of a field that is missing that it is needed, and nothing else', async () => {
    const { message, errors } = await faultsOf({ parts: [{}] });
    expect(errors).toEqual([
      ['id', 'is needed'],
      ['word', 'is needed'],
      ['parts.0.name', 'is needed'],
    ]);
    expect(message).toBe('Invalid body: id is needed; word is needed; parts.0.name is needed');
  });

  it.each([
    ['a number', 7, 'must be a string'],
    ['null', null, 'must be a string'],
    ['one that is too long', 'abcde', 'must be shorter than or equal to 4 characters'],
  ])('says what is wrong with %s', async (_, id, message) => {
    expect((await faultsOf({ id, word: 'a' })).errors).toEqual([['id', message]]);
  });

  it.each([
    ['wrod', 'is not a known field; did you mean word?'],
    ['counts', 'is not a known field; did you mean count?'],
    ['colour', 'is not a known field'],
    ['x'.repeat(100_000), 'is not a known field'],
  ])('says which field %.20s is meant to be', async (name, message) => {
    const { errors } = await faultsOf({ id: 'a', word: 'a', [name]: 1 });
    expect(errors).toEqual([[name.slice(0, 200), message]]);
  });

  it('says of another type only that', async () => {
    expect((await faultsOf({ id: 'a', word: [], count: '9' })).errors).toEqual([
      ['word', 'must be a string'],
      ['count', 'must be an integer number'],
    ]);
  });

  it('says everything that is wrong with a value of the right type', async () => {
    const { errors } = await faultsOf({ id: 'a', word: 'ABCDE' });
    const both = 'must be shorter than or equal to 4 characters and must be lower case';
    expect(errors).toEqual([['word', both]]);
  });
});
