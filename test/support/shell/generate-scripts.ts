import fc from 'fast-check';
import { change, fragment, share } from './change-script.js';
import { COMMANDS } from './fragments.js';
import { grammatical } from './script-grammar.js';

const ordinary = fc.constantFrom(...COMMANDS.ordinary);

function mutated(commands: readonly string[], mostChanges: number) {
  const changes = fc.array(fc.tuple(change, share), { minLength: 1, maxLength: mostChanges });
  return fc
    .tuple(fc.constantFrom(...commands), changes)
    .map(([text, steps]) =>
      steps.reduce((now, [step, place]) => step(now, Math.floor(place * (now.length + 1))), text),
    );
}

const heap = fc
  .array(fc.oneof({ weight: 1, arbitrary: ordinary }, { weight: 2, arbitrary: fragment }), {
    minLength: 2,
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''));

/** Most are commands that are allowed, changed at one place or several: these find most. */
export const scriptsToAllow = fc.oneof(
  { weight: 10, arbitrary: mutated(COMMANDS.ordinary, 3) },
  { weight: 3, arbitrary: mutated(COMMANDS.ordinary, 8) },
  { weight: 2, arbitrary: heap },
  { weight: 3, arbitrary: grammatical },
);

export const scriptsToDeny = fc.oneof(
  { weight: 10, arbitrary: mutated(COMMANDS.denied, 3) },
  { weight: 2, arbitrary: mutated(COMMANDS.denied, 8) },
);

export const scriptsToWrite = fc.oneof(
  { weight: 10, arbitrary: mutated(COMMANDS.writing, 3) },
  { weight: 2, arbitrary: mutated(COMMANDS.writing, 8) },
);
