import { createInterface } from 'node:readline/promises';
import { say, yellow } from './terminal.mjs';

const CHOICES = {
  approve: ['a', 'approve', 'y', 'yes'],
  edit: ['e', 'edit'],
  reject: ['r', 'reject', 'n', 'no'],
};

/** Whoever decides and answers: the person at the terminal, else the demo's script. */
export class Person {
  #terminal;
  #exit;
  #onClose = () => this.#exit.take(0);

  constructor(exit) {
    this.#exit = exit;
    if (!process.stdin.isTTY || !process.stdout.isTTY) return;
    this.#terminal = createInterface({ input: process.stdin, output: process.stdout });
    this.#terminal.once('SIGINT', () => exit.interrupt());
    this.#terminal.once('close', this.#onClose);
  }

  /** Whether it can be asked again. */
  get isThere() {
    return this.#terminal !== undefined;
  }

  async decide({ tool_input }, scripted = { approved: true }) {
    if (!this.isThere) {
      say(`       ${yellow('You')} ${describe(scripted)}`);
      return scripted;
    }
    const choice = await this.#choose();
    if (choice === 'approve') return { approved: true };
    if (choice === 'reject') return { approved: false, reason: await this.#ask('Why?') };
    return { approved: true, modified_input: await this.#readInput(tool_input) };
  }

  async answer({ options }, scripted = null) {
    if (!this.isThere) {
      say(`       ${yellow('You')} answer: ${scripted}`);
      return scripted;
    }
    const hint = options ? `one of ${options.join(', ')}, or anything else` : 'your answer';
    return (await this.#ask(`${hint} (empty declines):`)) || null;
  }

  /** The process could not end before. */
  leave() {
    this.#terminal?.off('close', this.#onClose).close();
  }

  /** Nothing is approved that wasn't clearly approved. */
  async #choose() {
    for (;;) {
      const said = (await this.#ask('[a]pprove, [e]dit or [r]eject?')).trim().toLowerCase();
      const choice = Object.keys(CHOICES).find((name) => CHOICES[name].includes(said));
      if (choice) return choice;
      say('       Please type a, e or r.');
    }
  }

  #ask(question) {
    return this.#terminal.question(`       ${yellow(question)} `, { signal: this.#exit.signal });
  }

  async #readInput(before) {
    for (;;) {
      const said = await this.#ask(`new input, instead of ${before} (empty keeps it):`);
      const input = parseObject(said.trim() || before);
      if (input) return input;
      say('       That is not a JSON object.');
    }
  }
}

function parseObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function describe({ approved, modified_input, reason }) {
  if (!approved) return `reject it: ${reason}`;
  return modified_input ? `approve it as ${JSON.stringify(modified_input)}` : 'approve it';
}
