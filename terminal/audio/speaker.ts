import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Client } from '../../client/index.js';

/** Programs that play PCM of 16 bits, mono, 24 kHz, little-endian, from their standard input. */
const PLAYERS: readonly (readonly [string, readonly string[]])[] = [
  ['paplay', ['--raw', '--format=s16le', '--rate=24000', '--channels=1']],
  ['aplay', ['-q', '-t', 'raw', '-f', 'S16_LE', '-r', '24000', '-c', '1']],
  ['play', ['-q', '-t', 'raw', '-e', 'signed', '-b', '16', '-r', '24000', '-c', '1', '-']],
  ['ffplay', ['-v', 'error', '-nodisp', '-autoexit', '-f', 's16le', '-ar', '24000', '-i', '-']],
];

export const PLAYER_NAMES = PLAYERS.map(([name]) => name);

/** Speaks answers while they are written, one at a time. */
export class Speaker {
  private current: AbortController | undefined;

  private constructor(
    private readonly client: Client,
    private readonly player: readonly [string, readonly string[]],
  ) {}

  /** Undefined: none of the programs is there. */
  static find(client: Client, path: string): Speaker | undefined {
    const player = PLAYERS.find(([name]) => path.split(delimiter).some((it) => has(it, name)));
    return player && new Speaker(client, player);
  }

  /**
   * Resolves when the answer was spoken, or another one is.
   * @throws ParleyError of the server; Error if the player fails
   */
  async speak(chat_id: string, interaction_id: string): Promise<void> {
    this.stop();
    const controller = new AbortController();
    this.current = controller;
    const { signal } = controller;
    try {
      const query = { format: 'pcm' as const };
      const { body } = await this.client.audio.hear(chat_id, interaction_id, query, { signal });
      if (body) await this.play(Readable.fromWeb(body as ReadableStream), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Falls silent. */
  stop(): void {
    this.current?.abort();
  }

  private async play(audio: Readable, signal: AbortSignal): Promise<void> {
    const [name, args] = this.player;
    const player = spawn(name, args, { stdio: ['pipe', 'ignore', 'ignore'], signal });
    const ended = new Promise<number | null>((resolve, reject) => {
      player.on('error', reject).on('close', resolve);
    });
    // A player that ends early breaks the pipe: its exit code tells more.
    const sent = pipeline(audio, player.stdin, { signal }).catch((error: unknown) => error);
    const [code, fault] = await Promise.all([ended, sent]);
    if (code !== 0 || fault) throw new Error(`${name} has ended with ${code ?? 'a signal'}.`);
  }
}

function has(folder: string, name: string): boolean {
  try {
    accessSync(join(folder, name), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
