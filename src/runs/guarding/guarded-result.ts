import type { GuardedOutput, GuardedText } from '../../guardrails/guarded-output.js';
import type { GuardedAgent } from '../../guardrails/guardrail.js';
import { Tripwire } from '../../guardrails/tripwire.js';
import type { Entry } from '../../event-log/append/run-log.js';
import { remarkEntries } from './guarding.js';
import type { AgentScope } from '../scope/agent-scope.js';

/** What one call puts out, behind the guardrails: neither people nor the model see what these hold back. */
export class GuardedResult {
  /** Why the run ends with this result. */
  tripwire: string | undefined;
  private preview: GuardedText | undefined;
  private output: GuardedOutput | undefined;

  constructor(
    private readonly scope: AgentScope,
    private readonly about: GuardedAgent,
  ) {}

  /** The next piece of what is shown while the tool runs. */
  show(text: string): string {
    return this.guarded(
      () => {
        this.preview ??= this.open().begin('tool_output');
        return this.preview.push(text);
      },
      (tripwire) => {
        this.scope.fail(tripwire); // what has tripped is not gone on with
        return '';
      },
    );
  }

  /** The whole result, or all of what is told of it. */
  read(text: string): string {
    return this.guarded(
      () => {
        this.output = this.open();
        const whole = this.output.begin('tool_output');
        return whole.push(text) + whole.end();
      },
      (tripwire) => (this.tripwire = tripwire.message),
    );
  }

  /** What readers are told, before the result. */
  remarks(): Entry[] {
    return remarkEntries(this.about.agent_id, this.output?.remarks() ?? []);
  }

  private open(): GuardedOutput {
    return this.scope.services.guardrails.open(this.about);
  }

  private guarded(work: () => string, onTrip: (tripwire: Tripwire) => string): string {
    if (this.tripwire !== undefined) return onTrip(new Tripwire(this.tripwire));
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Tripwire)) throw error;
      this.tripwire = error.message;
      return onTrip(error);
    }
  }
}
