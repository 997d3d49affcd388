import { Random } from '../random.mjs';

/**
 * `Plan <name>: <turns> turns`, as the workload says it, and agents to agents; the name of a
 * child's begins with that of its parent.
 */
const PLAN = /^Plan (\S+): (\d+) turns(, then it fails)?/;
/** So many agents above another; there may be more where an agent starts some of its own accord. */
const MAX_DEPTH = 2;
const WORDS = ['log', 'lease', 'epoch', 'naïve', '🦊', 'cursor', '👩‍🚀', 'block', '\n', '«ok»'];
const KINDS = {
  deed: 24,
  guarded: 26,
  note: 15,
  consult: 8,
  ask_human: 8,
  calculator: 15,
  agent: 12,
  broken: 4,
};

/**
 * What the model says next: a function of the conversation and of nothing else, so that whoever
 * knows the conversation can tell whether this turn belongs into it. `fails`: it refuses to say
 * that. Undefined without a plan.
 */
export function turnOf(messages) {
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && PLAN.test(content));
  if (at === -1) return undefined;
  const [, plan, turns, fails] = PLAN.exec(messages[at].content);
  const number = messages.slice(at + 1).filter(({ role }) => role === 'assistant').length;
  const random = new Random(JSON.stringify(messages.slice(at).map(essence)));
  const turn = { plan, thinking: random.chance(0.5) ? prose(random, 3, 30) : '' };
  if (number >= Number(turns))
    return { ...turn, text: prose(random, 10, 120), calls: [], fails: fails !== undefined };
  const text = random.chance(0.4) ? prose(random, 2, 25) : '';
  const calls = Array.from({ length: random.between(1, 3) }, (_, n) => callOf(random, plan, n));
  return { ...turn, text, calls };
}

/** What of a message matters: the server may give calls other ids. */
function essence({ role, content, tool_calls = [] }) {
  return [role, content ?? '', tool_calls.map(({ function: fn }) => [fn.name, fn.arguments])];
}

function prose(random, low, high) {
  return Array.from({ length: random.between(low, high) }, () => random.pick(WORDS)).join(' ');
}

/** Ids repeat from turn to turn, as some vendors' do. */
function callOf(random, plan, number) {
  const depth = plan.split('.').length - 1;
  const { agent, ...kinds } = KINDS;
  const kind = random.weighted(depth < MAX_DEPTH ? { ...kinds, agent } : kinds);
  const token = `t${random.between(0, 2 ** 32).toString(36)}`;
  const [name, input] = argumentsOf(kind, { plan, token }, random);
  return { id: `call_${number}`, name, arguments: input };
}

function argumentsOf(kind, { plan, token }, random) {
  switch (kind) {
    case 'calculator':
      return ['calculator', JSON.stringify({ expression: `6*${random.between(1, 99)}` })];
    case 'ask_human':
      return ['ask_human', JSON.stringify({ question: `What about ${token}?` })];
    case 'consult':
      return ['consult', JSON.stringify({ questions: [`${token}?`, `And ${token} again?`] })];
    case 'agent':
      return [
        'agent',
        JSON.stringify({ prompt: promptOf(`${plan}.${token}`, random), ...type(random) }),
      ];
    case 'broken':
      return ['deed', `{"token":"${token}","ms":`];
    default:
      return [kind, JSON.stringify({ token, ms: random.between(0, 500) })];
  }
}

function promptOf(plan, random) {
  return `Plan ${plan}: ${random.between(0, 2)} turns${random.chance(0.1) ? ', then it fails' : ''}`;
}

function type(random) {
  return random.chance(0.2) ? { agent_type: 'boss' } : {};
}
