import type { AgUiEvent } from '../ag-ui-event.js';
import type { Author } from './open-texts.js';

interface Turn extends Author {
  readonly stepName: string;
  /** The assistant message of the turn, which has its calls too. */
  message: string | undefined;
}

/** Turns of models as steps, `turn 1` and so on for each agent, beside the steps of their code. */
export class Steps {
  private readonly open = new Map<string, Turn>();
  private readonly counts = new Map<string, number>();

  /** Before something that the model says in a turn. */
  begin({ agent, tag }: Author): readonly AgUiEvent[] {
    if (this.open.has(agent)) return [];
    const count = (this.counts.get(agent) ?? 0) + 1;
    this.counts.set(agent, count);
    const stepName = `turn ${count}`;
    this.open.set(agent, { agent, tag, stepName, message: undefined });
    return [{ type: 'STEP_STARTED', stepName, ...tag }];
  }

  /** The message that a call of the turn belongs to. @param id of one, if there is none yet */
  messageOf(agent: string, id: string): string {
    const turn = this.open.get(agent);
    if (!turn) return id;
    turn.message ??= id;
    return turn.message;
  }

  /** A text that is taken back has no calls. */
  forget(message: string): void {
    for (const turn of this.open.values()) if (turn.message === message) turn.message = undefined;
  }

  end(agent: string): readonly AgUiEvent[] {
    const turn = this.open.get(agent);
    this.open.delete(agent);
    return turn ? [{ type: 'STEP_FINISHED', stepName: turn.stepName, ...turn.tag }] : [];
  }

  endAll(): readonly AgUiEvent[] {
    return [...this.open.keys()].toReversed().flatMap((agent) => this.end(agent));
  }

  /** A step of an agent's own code, which has taken place. */
  own(stepName: string, { agent, tag }: Author): readonly AgUiEvent[] {
    if (this.open.get(agent)?.stepName === stepName) return [];
    return [
      { type: 'STEP_STARTED', stepName, ...tag },
      { type: 'STEP_FINISHED', stepName, ...tag },
    ];
  }

  /** Turns that go on in another run begin in it anew. */
  reopen(): readonly AgUiEvent[] {
    return [...this.open.values()].map(({ stepName, tag }) => {
      return { type: 'STEP_STARTED', stepName, ...tag };
    });
  }
}
