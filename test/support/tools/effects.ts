import { readFile } from 'node:fs/promises';
import { eventually } from '../eventually.js';

/** A line that a tool of `chaos/server` left. */
export interface Effect {
  readonly tool: string;
  readonly call: string;
  readonly phase: 'begin' | 'end';
  readonly input: { readonly token: string };
}

/** The file that the tools of `chaos/server` write to. */
export class Effects {
  constructor(readonly path: string) {}

  async list(): Promise<Effect[]> {
    const text = await readFile(this.path, 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Effect);
  }

  /** Resolves when so many lines say this. */
  async wait(phase: Effect['phase'], count = 1): Promise<void> {
    await eventually(
      async () => (await this.list()).filter((effect) => effect.phase === phase).length >= count,
    );
  }

  /** `begin` and `end` of a tool's calls, in order. */
  async phases(tool: string): Promise<Effect['phase'][]> {
    return (await this.list()).filter((effect) => effect.tool === tool).map(({ phase }) => phase);
  }
}
