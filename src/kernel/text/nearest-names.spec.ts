import { nearestNames } from './nearest-names.js';

const NAMES = ['ask_human', 'calculator', 'current_time', 'read', 'write'];

describe(nearestNames.name, () => {
  it.each([
    ['calculater', ['calculator']],
    ['currentTime', ['current_time']],
    ['AskHuman', ['ask_human']],
    ['raed', ['read']],
    ['reda', ['read']],
    ['dear', []],
    ['rread', ['read']],
    ['send_mail', []],
    ['', []],
    ['x'.repeat(100_000), []],
  ])('takes %.20s for %j', (wanted, expected) => {
    expect(nearestNames(wanted, NAMES)).toEqual(expected);
  });
});
