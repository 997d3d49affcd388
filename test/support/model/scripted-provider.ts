import { ModelProvider } from '../../../src/models/model-provider.js';
import type { ModelEvent, ModelRequest } from '../../../src/models/model-provider.js';

export type ModelScript = (
  request: ModelRequest,
  signal: AbortSignal,
) => AsyncIterable<ModelEvent> | Iterable<ModelEvent>;

/** A model that does what a test says; keeps what it was asked. */
export class ScriptedProvider extends ModelProvider {
  readonly name = 'fake';
  readonly requests: ModelRequest[] = [];

  constructor(private readonly script: ModelScript) {
    super();
  }

  /** Plays one turn after the other, and the last one for ever. */
  static playing(...turns: (readonly ModelEvent[])[]): ScriptedProvider {
    let played = 0;
    return new ScriptedProvider(() => turns[Math.min(played++, turns.length - 1)]!);
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    this.requests.push(request);
    yield* this.script(request, signal);
  }
}
