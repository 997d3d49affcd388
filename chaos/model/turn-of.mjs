import { Random } from '../random.mjs';

/** `Plan <id>: <turns> turns of work`, as the workload says it. */
const PLAN = /^Plan (\S+): (\d+) turns/;
const WORDS = ['log', 'lease', 'epoch', 'naïve', '🦊', 'cursor', '👩‍🚀', 'block', '\n', '«ok»'];
const KINDS = {
  deed: 24,
  guarded: 26,
  note: 15,
  consult: 8,
  ask_human: 8,
  calculator: 15,
  broken: 4,
};

/**
 * What the model says next: a function of the conversation and of nothing else, so that whoever knows the conversation can tell
 * whether this turn belongs into it. Undefined without a plan.
 */
export function turnOf(messages) {
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && PLAN.test(content));
  if (at === -1) return undefined;
  const [, plan, turns] = PLAN.exec(messages[at].content);
  const number = messages.slice(at + 1).filter(({ role }) => role === 'assistant').length;
  const random = new Random(JSON.stringify(messages.slice(at).map(essence)));
  const turn = { plan, thinking: random.chance(0.5) ? prose(random, 3, 30) : '' };
  if (number >= Number(turns)) return { ...turn, text: prose(random, 10, 120), calls: [] };
  const text = random.chance(0.4) ? prose(random, 2, 25) : '';
  const calls = Array.from({ length: random.between(1, 3) }, (_, n) => callOf(random, n));
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
function callOf(random, number) {
  const kind = random.weighted(KINDS);
  const token = `t${random.between(0, 2 ** 32).toString(36)}`;
  const [name, input] = argumentsOf(kind, token, random);
  return { id: `call_${number}`, name, arguments: input };
}

function argumentsOf(kind, token, random) {
  switch (kind) {
    case 'calculator':
      return ['calculator', JSON.stringify({ expression: `6*${random.between(1, 99)}` })];
    case 'ask_human':
      return ['ask_human', JSON.stringify({ question: `What about ${token}?` })];
    case 'consult':
      return ['consult', JSON.stringify({ questions: [`${token}?`, `And ${token} again?`] })];
    case 'broken':
      return ['deed', `{"token":"${token}","ms":`];
    default:
      return [kind, JSON.stringify({ token, ms: random.between(0, 500) })];
  }
}
