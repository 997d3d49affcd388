// Finds the regular expressions whose time grows faster than their text. A backtracking search
// tries all ways through the pattern before it fails. The time is exponential if a text leads from
// a state to itself in two ways, and at least quadratic if the same text leads from a state to
// itself, from there to another, and from that to itself (Weber and Seidl, "On the degree of
// ambiguity of finite automata", 1991). The place where a search begins is such a state, too.
import { ANYWHERE, automataOf } from './automaton.mjs';

/** Combinations of states that are looked at for a pattern. */
const MOST_STATES = 300_000;
const LOOP = /[*+]|\{\d+,|\\[1-9k]/;

/**
 * @returns {string | undefined} why the time is not linear
 */
export function ambiguityOf(source, flags) {
  if (!LOOP.test(source)) return undefined;
  try {
    for (const automaton of automataOf(source, flags)) {
      const fault = exponential(automaton) ?? polynomial(automaton);
      if (fault) return fault;
    }
    return undefined;
  } catch (error) {
    return `can't be analysed: ${error.message}`;
  }
}

/** The same text leads from a state to itself in two ways. */
function exponential(automaton) {
  const done = new Set();
  for (const { head, states } of loopsOf(automaton)) {
    if (done.has(head)) continue;
    for (const state of states) done.add(state);
    const text = walk(automaton, [head, head], {
      allows: ([a, b]) => states.has(a) && states.has(b),
      isGoal: ([a, b], isSplit) => a === head && b === head && isSplit,
    });
    if (text !== undefined) return `takes exponential time on ${shown(text)}`;
  }
  return undefined;
}

/** The same text leads from a state to itself, from there to another, and from that to itself. */
function polynomial(automaton) {
  const loops = loopsOf(automaton);
  for (const from of [...searchOf(automaton), ...loops])
    for (const to of loops) {
      if (from.states.has(to.head)) continue; // that would be exponential
      const passes = automaton.goesOn && from.head === ANYWHERE;
      const text = walk(automaton, [from.head, from.head, to.head], {
        allows: ([a, b, c]) =>
          from.states.has(a) && (passes || !automaton.accepts[b]) && to.states.has(c),
        isGoal: ([a, b, c]) => a === from.head && b === to.head && c === to.head,
      });
      if (text !== undefined) return `takes quadratic time or more on ${shown(text)}`;
    }
  return undefined;
}

function shown(text) {
  return `repeated ${JSON.stringify(text)}`;
}

/** The search for the beginning, as a loop of its own. */
function searchOf({ follow }) {
  if (!follow[ANYWHERE].has(ANYWHERE)) return [];
  return [{ head: ANYWHERE, states: new Set([ANYWHERE]) }];
}

/**
 * The states that come again, each with all states on its ways. A search that has succeeded tries
 * no other way: states where it has are left out.
 */
function loopsOf({ follow, accepts }) {
  const reach = follow.map((_, state) => reachable(state, follow, accepts));
  return reach.flatMap((states, head) => {
    if (head === ANYWHERE || accepts[head] || !states.has(head)) return [];
    return [{ head, states: new Set([...states].filter((each) => reach[each].has(head))) }];
  });
}

function reachable(state, follow, accepts) {
  const found = new Set();
  const waiting = [state];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const to of follow[at].keys()) {
      if (to === ANYWHERE || accepts[to] || found.has(to)) continue;
      found.add(to);
      waiting.push(to);
    }
  return found;
}

/**
 * @param start states that read the same text together
 * @returns the shortest text that leads them to the goal
 */
function walk(automaton, start, { allows, isGoal }) {
  const seen = new Set([`${start}`]);
  let edge = [{ states: start, isSplit: false, text: '' }];
  while (edge.length > 0) {
    const further = [];
    for (const from of edge)
      for (const to of stepsFrom(automaton, from)) {
        if (!allows(to.states)) continue;
        if (isGoal(to.states, to.isSplit)) return to.text;
        const key = `${to.states}${to.isSplit ? '!' : ''}`;
        if (seen.has(key)) continue;
        if (seen.size > MOST_STATES) throw new Error('it has too many states');
        seen.add(key);
        further.push(to);
      }
    edge = further;
  }
  return undefined;
}

function* stepsFrom({ moves, letters }, { states, isSplit, text }) {
  for (const [index, letter] of letters.entries())
    for (const steps of combinations(states.map((state) => moves[state][index]))) {
      const targets = steps.map(([to]) => to);
      const isFork = targets[0] !== targets[1] || (states[0] === states[1] && steps[0][1] > 1);
      yield { states: targets, isSplit: isSplit || isFork, text: text + letter };
    }
}

function combinations(lists) {
  return lists.reduce(
    (rows, list) => rows.flatMap((row) => list.map((item) => [...row, item])),
    [[]],
  );
}
