import { createInterface } from 'node:readline/promises';
import { say, yellow } from './terminal.mjs';

/** Whoever decides and answers: the person at the terminal, else the demo's script. */
export class Person {
  #terminal =
    process.stdin.isTTY && process.stdout.isTTY
      ? createInterface({ input: process.stdin, output: process.stdout })
      : undefined;

  async decide({ tool_input }, scripted = { approved: true }) {
    if (!this.#terminal) {
      say(`       ${yellow('You')} ${describe(scripted)}`);
      return scripted;
    }
    const choice = await this.#ask('[a]pprove, [e]dit or [r]eject?');
    if (choice.startsWith('r')) return { approved: false, reason: await this.#ask('Why?') };
    if (!choice.startsWith('e')) return { approved: true };
    return { approved: true, modified_input: await this.#readInput(tool_input) };
  }

  async answer({ options }, scripted = null) {
    if (!this.#terminal) {
      say(`       ${yellow('You')} answer: ${scripted}`);
      return scripted;
    }
    const hint = options ? `one of ${options.join(', ')}, or anything else` : 'your answer';
    return (await this.#ask(`${hint} (empty declines):`)) || null;
  }

  leave() {
    this.#terminal?.close();
  }

  #ask(question) {
    return this.#terminal.question(`       ${yellow(question)} `);
  }

  async #readInput(before) {
    for (;;) {
      try {
        return JSON.parse((await this.#ask(`new input, instead of ${before}:`)) || before);
      } catch {
        say('       That is no JSON.');
      }
    }
  }
}

function describe({ approved, modified_input, reason }) {
  if (!approved) return `reject it: ${reason}`;
  return modified_input ? `approve it as ${JSON.stringify(modified_input)}` : 'approve it';
}
