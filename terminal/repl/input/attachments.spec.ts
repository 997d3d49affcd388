import { mentionsIn } from './attachments.js';

it('finds the files that a message names', () => {
  expect(mentionsIn('see @src/a.ts#10-20 and @b.md, not me@x.example, @c#7')).toEqual([
    { path: 'src/a.ts', from: 10, to: 20 },
    { path: 'b.md,', from: undefined, to: undefined },
    { path: 'c', from: 7, to: 7 },
  ]);
});
