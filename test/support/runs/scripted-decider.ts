import type { GenerateOptions, Turn } from '../../../src/agents/agent-context.js';
import type { Decider } from '../../../src/agents/kinds/structured/decide.js';
import type { Message } from '../../../src/protocol/message.js';

/** A context for decisions alone, whose model says these texts or throws these errors, one each. */
export class ScriptedDecider implements Decider {
  readonly messages: readonly Message[] = [{ role: 'user', content: 'Book a table' }];
  readonly asked: GenerateOptions[] = [];
  readonly notices: string[] = [];
  private readonly answers: (string | Error)[];

  constructor(...answers: readonly (string | Error | object)[]) {
    this.answers = answers.map((answer) =>
      typeof answer === 'string' || answer instanceof Error ? answer : JSON.stringify(answer),
    );
  }

  generate(options: GenerateOptions = {}): Promise<Turn> {
    this.asked.push(options);
    const text = this.answers.shift();
    if (text === undefined) throw new RangeError('nothing more is to be said');
    if (text instanceof Error) return Promise.reject(text);
    const usage = { input_tokens: 1, output_tokens: 1 };
    return Promise.resolve({ text, tool_calls: [], finish_reason: 'stop', usage });
  }

  notice(code: string): Promise<void> {
    this.notices.push(code);
    return Promise.resolve();
  }
}
