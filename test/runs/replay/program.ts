import fc from 'fast-check';

/** Who may do what an effect asks for, and how it may go. */
export interface EffectNode {
  readonly kind: 'generate' | 'step' | 'ask' | 'say' | 'notice' | 'emit' | 'set' | 'tell';
  /** Microtasks that pass before the agent asks for it. */
  readonly hops: number;
  /** Whether it may fail; which then is caught, or not. */
  readonly fails: 'never' | 'caught' | 'uncaught';
  /** Tools that a model turn calls, by name. */
  readonly calls: readonly ('once' | 'again' | 'errand' | 'caller' | 'missing')[];
}

/** What a parent does about its child when it has done something else meanwhile. */
export type ChildFate = 'wait' | 'wait twice' | 'interrupt' | 'race' | 'forget';

/**
 * Deterministic code of an agent. `choose` takes a way by the outcome of its effect; `loose` is not
 * waited for; the parts of a `fork` are the child's and its parent's meanwhile.
 */
export type Program =
  | { readonly kind: 'effect'; readonly effect: EffectNode }
  | { readonly kind: 'sequence' | 'parallel' | 'race' | 'loose'; readonly parts: Program[] }
  | { readonly kind: 'fork'; readonly fate: ChildFate; readonly parts: [Program, Program] }
  | { readonly kind: 'choose'; readonly effect: EffectNode; readonly ways: [Program, Program] };

const effect: fc.Arbitrary<EffectNode> = fc.record({
  kind: fc.constantFrom(
    ...(['generate', 'generate', 'step', 'step', 'ask', 'say', 'notice'] as const),
    ...(['emit', 'set', 'tell'] as const),
  ),
  hops: fc.constantFrom(0, 0, 0, 1, 2, 4, 9),
  fails: fc.constantFrom('never', 'never', 'never', 'caught', 'caught', 'uncaught'),
  calls: fc.oneof(
    fc.constant([]),
    fc.array(fc.constantFrom('once', 'once', 'again', 'errand', 'caller', 'missing'), {
      maxLength: 3,
    }),
  ),
});

const { program } = fc.letrec<{ program: Program; leaf: Program }>((tie) => ({
  leaf: fc.record({ kind: fc.constant('effect' as const), effect }),
  program: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.record({
      kind: fc.constantFrom('sequence', 'sequence', 'parallel', 'parallel', 'race', 'loose'),
      parts: fc.array(tie('program'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('fork' as const),
      fate: fc.constantFrom<ChildFate[]>(
        'wait',
        'wait',
        'wait twice',
        'interrupt',
        'race',
        'forget',
      ),
      parts: fc.tuple(tie('program'), tie('program')),
    }),
    fc.record({
      kind: fc.constant('choose' as const),
      effect,
      ways: fc.tuple(tie('program'), tie('program')),
    }),
  ),
}));

/** An agent's whole code. */
export const programs: fc.Arbitrary<Program> = fc.record({
  kind: fc.constant('sequence' as const),
  parts: fc.array(program, { minLength: 1, maxLength: 4 }),
});
