import type { ToolVerdict } from '../../../src/permissions/judges/tool-judge.js';
import { TrustingJudge } from './trusting-judge.js';

/** Has a person decide about every call. */
export class AskingJudge extends TrustingJudge {
  override authorize(): Promise<ToolVerdict> {
    return Promise.resolve({ decision: 'ask', reason: 'Tests ask.' });
  }
}
