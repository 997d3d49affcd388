import 'reflect-metadata';
import { InputPipe } from './input.pipe.js';
import { LimitDto } from './page-query.dto.js';
import { DecimalInt } from './decimal-int.js';

describe(DecimalInt.name, () => {
  const read = (limit: unknown): Promise<unknown> =>
    new InputPipe().transform({ limit }, { type: 'query', metatype: LimitDto });

  it.each([
    ['5', 5],
    ['007', 7],
    [5, 5],
  ])('takes %j', async (limit, expected) => {
    expect(await read(limit)).toEqual({ limit: expected });
  });

  it.each(['0x6', '6e0', '+6', '-0', '-6', '6.0', ' 6', '6\n', '%20', ' ', '', '٦', true, ['6']])(
    'refuses %j',
    async (limit) => {
      await expect(read(limit)).rejects.toMatchObject({
        code: 'invalid_query',
        errors: [{ field: 'limit' }],
      });
    },
  );
});
