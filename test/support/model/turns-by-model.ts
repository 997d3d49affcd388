import type { ModelEvent } from '../../../src/models/model-provider.js';
import { ScriptedProvider } from './scripted-provider.js';

/**
 * What a model does, try by try; the last for ever. An error is thrown after the events before it.
 */
export type Tries = readonly (readonly (ModelEvent | Error)[])[];

/** Serves several models, each with a script of its own. */
export function turnsByModel(scripts: Readonly<Record<string, Tries>>): ScriptedProvider {
  const played = new Map<string, number>();
  return new ScriptedProvider(function* ({ model }) {
    const tries = scripts[model]!;
    const at = played.get(model) ?? 0;
    played.set(model, at + 1);
    for (const event of tries[Math.min(at, tries.length - 1)]!) {
      if (event instanceof Error) throw event;
      yield event;
    }
  });
}
