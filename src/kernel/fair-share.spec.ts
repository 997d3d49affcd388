import { Counts } from './counts.js';
import { exceedsShare, surplusOf } from './fair-share.js';

/** Such as "a40 b30": an owner and bytes each. */
function heldOf(text: string) {
  return text.split(' ').map((word) => ({ owner: word.slice(0, 1), bytes: Number(word.slice(1)) }));
}

function countsOf(text: string): Counts {
  const counts = new Counts();
  for (const { owner, bytes } of heldOf(text)) counts.add(owner, bytes);
  return counts;
}

describe(exceedsShare.name, () => {
  it.each([
    ['half of the limit', 'a50 b10', 'a', true],
    ['less than half', 'a49 b10', 'a', false],
    ['more than the average while all is taken', 'a40 b40 c25', 'a', true],
    ['less than the average while all is taken', 'a40 b40 c25', 'c', false],
    ['more than the average while there is room', 'a40 b10', 'a', false],
    ['nothing while all is taken', 'a49 b49 c9', 'd', false],
  ])('knows %s', (_, text, owner, exceeds) => {
    expect(exceedsShare(countsOf(text), owner, 100)).toBe(exceeds);
  });
});

describe(surplusOf.name, () => {
  it.each([
    ['nothing while the rest fits', 'a60 b40', ''],
    ['the first of the owner with most', 'b10 a30 a40 b30', 'a30'],
    ['several of an owner as long as it has most', 'a30 a30 a60 b40', 'a30 a30'],
    ['that of the next owner once it has most', 'a30 a30 b50 b40 c10', 'b50 a30'],
    ['that of the first owner of several with most', 'a60 b60', 'a60'],
    ['never the last one of all', 'a200', ''],
  ])('is %s', (_, text, expected) => {
    const surplus = surplusOf(heldOf(text), 100).map(({ owner, bytes }) => `${owner}${bytes}`);
    expect(surplus.join(' ')).toBe(expected);
  });
});
