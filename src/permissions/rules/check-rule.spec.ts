import { checkRule } from './check-rule.js';

const RULE = { scope: 'global', decision: 'ask', priority: 0 };
const KINDS = 'one of: tool, category, command_prefix, regex, path, all';

describe(checkRule.name, () => {
  it.each([
    ['no object', 'bash', ['matcher'], `has to be an object whose type is ${KINDS}`],
    ['of no type', { pattern: 'bash' }, ['matcher', 'type'], `has to be ${KINDS}`],
    ['of an unknown type', { type: 'tol' }, ['matcher', 'type'], `has to be ${KINDS}`],
  ])('says what is wrong with a matcher that is %s', (_, matcher, path, message) => {
    expect(checkRule({ ...RULE, matcher })).toEqual({ ok: false, faults: [{ path, message }] });
  });
});
