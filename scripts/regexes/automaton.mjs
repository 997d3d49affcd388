// The automaton of a regular expression: a state per place of a character in the pattern, and the
// states that may follow it.
import { RegExpParser } from '@eslint-community/regexpp';
import { alphabetOf } from './alphabet.mjs';

/** Optional repetitions beyond this number count as endless. */
const MOST_OPTIONAL = 100;
/** Steps in search of the states that follow one. */
const MOST_STEPS = 20_000;

/** The place before the first character, in a search that may begin anywhere. */
export const ANYWHERE = 0;

/**
 * One automaton for the pattern and one for each of its look-arounds.
 * @returns {{ follow: Map<number, number>[], moves: [number, number][][][], letters: string[],
 *   accepts: boolean[], goesOn: boolean }[]} `follow`: the next states, each with the number of
 *   ways there; `moves`: the same by letter; `accepts`: whether the search has succeeded there,
 *   whatever comes next; `goesOn`: whether it is repeated after a match
 * @throws Error if the pattern can't be analysed
 */
export function automataOf(source, flags) {
  const unicode = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, unicode);
  const isSticky = flags.includes('y');
  const main = { alternatives: pattern.alternatives, isReversed: false, isInner: false };
  const waiting = [main];
  const automata = [];
  for (let next = waiting.shift(); next; next = waiting.shift())
    automata.push(automatonOf(next, { flags, isSticky: isSticky && !next.isInner, waiting }));
  return automata;
}

function automatonOf({ alternatives, isReversed, isInner }, { flags, isSticky, waiting }) {
  const graph = new Graph(flags, isReversed, waiting);
  const begin = graph.state();
  const end = graph.either(alternatives, begin);
  const alphabet = alphabetOf(graph.sets, flags);
  const { letters } = alphabet;
  const afters = graph.sets.map(({ to }) => graph.next(to, end));
  const search = new Map(graph.next(begin, end).states);
  if (!isSticky) search.set(ANYWHERE, 1);
  const follow = [search, ...afters.map(({ states }) => states)];
  return {
    follow,
    moves: follow.map((next) =>
      letters.map((letter) =>
        [...next].filter(([to]) => to === ANYWHERE || alphabet.matches(to - 1, letter)),
      ),
    ),
    letters,
    accepts: [false, ...afters.map(({ accepts }) => accepts && !isInner)],
    goesOn: flags.includes('g') || isInner,
  };
}

/** States joined by characters and by empty steps, some of which are guarded by an assertion. */
class Graph {
  /** The places of characters; the number of one, and 1, is its state in the automaton. */
  sets = [];
  steps = [];

  constructor(flags, isReversed, lookArounds) {
    Object.assign(this, { flags, isReversed, lookArounds });
  }

  state() {
    return this.steps.push([]) - 1;
  }

  join(from, to, guard) {
    this.steps[from].push({ to, guard });
    return to;
  }

  either(alternatives, from) {
    const end = this.state();
    for (const { elements } of alternatives) {
      const ordered = this.isReversed ? elements.toReversed() : elements;
      const begin = this.join(from, this.state());
      this.join(
        ordered.reduce((at, element) => this.element(element, at), begin),
        end,
      );
    }
    return end;
  }

  element(element, from) {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return this.either(element.alternatives, from);
      case 'Quantifier':
        return this.repeated(element, from);
      case 'Assertion':
        return this.join(from, this.state(), this.guardOf(element));
      case 'Backreference':
        throw new Error('it has a back reference');
      default:
        return this.character(element, from);
    }
  }

  character(element, from) {
    const to = this.state();
    this.sets.push({ element, to });
    this.steps[from].push({ position: this.sets.length });
    return to;
  }

  repeated({ element, min, max }, from) {
    let at = from;
    for (let i = 0; i < min; i++) at = this.element(element, at);
    if (max - min > MOST_OPTIONAL) return this.endless(element, at);
    const end = this.state();
    for (let i = min; i < max; i++) {
      this.join(at, end);
      at = this.element(element, at);
    }
    return this.join(at, end);
  }

  endless(element, from) {
    const loop = this.join(from, this.state());
    this.join(this.element(element, loop), loop);
    return this.join(loop, this.state());
  }

  guardOf({ kind, ...assertion }) {
    if (kind === 'lookahead' || kind === 'lookbehind') {
      const isReversed = kind === 'lookbehind';
      this.lookArounds.push({ alternatives: assertion.alternatives, isReversed, isInner: true });
    }
    const isWhole = !this.flags.includes('m') && !this.isReversed;
    return isWhole && (kind === 'start' || kind === 'end') ? kind : 'other';
  }

  /**
   * The characters that may come next, after at least one, and whether the end is reached without a
   * guard.
   */
  next(begin, end) {
    const states = new Map();
    let accepts = false;
    let steps = 0;
    const visit = (at, path, guards) => {
      if (++steps > MOST_STEPS) throw new Error('it has too many ways');
      if (at === end) accepts ||= guards.size === 0;
      for (const step of this.steps[at]) {
        const { to, guard, position } = step;
        if (guard === 'start' || path.has(step)) continue;
        if (position === undefined)
          visit(to, new Set(path).add(step), guard ? new Set(guards).add(guard) : guards);
        else if (!guards.has('end')) states.set(position, (states.get(position) ?? 0) + 1);
      }
    };
    visit(begin, new Set(), new Set());
    return { states, accepts };
  }
}
