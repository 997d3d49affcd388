import { AdaptationMemory, TurnAdaptation } from './adaptation.js';
import { change } from './refusal-rule.js';
import { profileOf } from './vendor-profile.js';

const memory = () => new AdaptationMemory(profileOf('http://localhost/v1'));
const alternate = (description: string, is: boolean) =>
  change('alternate_roles', description, { alternate: is });

describe(TurnAdaptation.name, () => {
  it('makes a change once, in whatever words it is described', () => {
    const turn = new TurnAdaptation(memory(), 'm');
    expect(turn.learn(alternate('roles take turns', true))).toBe(true);
    expect(turn.learn(alternate('roles take no turns', false))).toBe(false);
    expect(turn.current.alternate).toBe(true);
  });

  it('makes two changes that are described alike', () => {
    const turn = new TurnAdaptation(memory(), 'm');
    expect(turn.learn(change('short_call_ids', 'it changes', { call_ids: 'short' }))).toBe(true);
    expect(turn.learn(change('bridge', 'it changes', { bridge: true }))).toBe(true);
    expect(turn.current).toMatchObject({ call_ids: 'short', bridge: true });
  });

  it('remembers a change for the turns after it, unless it is made once', () => {
    const known = memory();
    const turn = new TurnAdaptation(known, 'm');
    turn.learn(alternate('roles take turns', true));
    turn.learn({ ...change('bridge', 'a bridge', { bridge: true }), once: true });
    expect(turn.current).toMatchObject({ alternate: true, bridge: true });
    expect(known.of('m')).toMatchObject({ alternate: true, bridge: false });
    expect(known.of('another').alternate).toBe(false);
  });
});
