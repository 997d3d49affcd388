import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Backlog } from '../kernel/async/backlog.js';

/** Bytes that may wait for the client; one that takes nothing is disconnected at this. */
const MAX_PENDING_BYTES = 1024 * 1024;
/** Bytes from which on whatever can wait does. */
const HIGH_WATER_BYTES = 256 * 1024;

/** Why the server closes a connection, by RFC 6455. */
export const CLOSES = {
  done: [1000, 'chat_gone'],
  shutdown: [1001, 'shutting_down'],
  credential: [1008, 'invalid_credential'],
  flood: [1008, 'too_many_messages'],
} as const;

/** A message of the server in JSON. */
export type ServerMessage =
  | { readonly type: 'event'; readonly cursor: string; readonly event: object }
  | { readonly type: 'speech_started' | 'speech_stopped'; readonly audio_ms: number }
  | { readonly type: 'audio_done'; readonly interaction_id: string }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

/** The client's side of a session, with back-pressure (I10). */
export class RealtimeSocket implements Backlog {
  constructor(
    readonly ws: WebSocket,
    private readonly connection: Socket,
  ) {}

  get isOpen(): boolean {
    return this.ws.readyState === this.ws.OPEN;
  }

  get isFull(): boolean {
    return this.connection.writableLength > HIGH_WATER_BYTES;
  }

  async drained(): Promise<void> {
    while (this.isOpen && this.isFull) await this.drain();
  }

  tell(message: ServerMessage): void {
    if (!this.isOpen) return;
    if (this.ws.bufferedAmount > MAX_PENDING_BYTES) this.ws.terminate();
    else this.ws.send(JSON.stringify(message));
  }

  /** Resolves when the client can take more. */
  async send(pcm: Uint8Array): Promise<void> {
    if (!this.isOpen) return;
    this.ws.send(pcm);
    await this.drained();
  }

  close(why: keyof typeof CLOSES): void {
    const [code, reason] = CLOSES[why];
    this.ws.close(code, reason);
  }

  private drain(): Promise<void> {
    const { connection } = this;
    return new Promise((resolve) => {
      const done = (): void => {
        connection.off('drain', done).off('close', done);
        resolve();
      };
      connection.once('drain', done).once('close', done);
    });
  }
}
