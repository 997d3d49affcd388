import { ruleText } from '../strings/rules';
import { Mark } from '../ui/status';
import type { Tone } from '../ui/status';

type Decision = 'allow' | 'deny' | 'ask';

const TONES: Readonly<Record<Decision, Tone>> = { allow: 'good', deny: 'bad', ask: 'wait' };

export function VerdictMark({ decision }: { decision: Decision }) {
  return <Mark tone={TONES[decision]}>{ruleText.decisions[decision]}</Mark>;
}
