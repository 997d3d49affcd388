import { credential } from '../session/credential';
import { SERVER_URL } from '../session/client';
import { audioText as text } from '../strings/chat';
import { Store } from '../ui/store';
import { hear } from './microphone';
import { PcmPlayer } from './pcm-player';

const PROTOCOL = 'parley.realtime';
/** Waits before a lost connection is opened again, in milliseconds. */
const RETRIES_MS = [500, 1000, 2000, 4000, 8000];
/** Sound that waits to be sent, in bytes; a connection that is slower misses some. */
const MAX_UNSENT = 480_000;
const BYTES_PER_MS = 48;

/** Where a spoken conversation is. */
export type TalkState = 'connecting' | 'listening' | 'hearing' | 'answering' | 'speaking';

/** Messages of the server; there are more, of the log, which the page follows anyway. */
type ServerMessage =
  | { readonly type: 'speech_started' | 'speech_stopped' | 'audio_done' | 'event' }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

/** Talks with the agent of a chat: it hears all the time, and answers aloud. */
export class SpokenConversation {
  readonly state = new Store<TalkState>('connecting');
  /** The last fault; undefined: all is well. */
  readonly error = new Store<unknown>(undefined);
  private readonly closing = new AbortController();
  private readonly player = new PcmPlayer();
  private socket: WebSocket | undefined;
  private failures = 0;
  /** Length of the received part of the answer that is spoken. */
  private receivedMs = 0;

  /** @param chatId null: it is made when it begins */
  constructor(public chatId: string | null) {}

  /** Ends itself and keeps the error if there is no microphone, or no chat. */
  async begin(makeChat: () => Promise<string>): Promise<void> {
    try {
      await hear((pcm) => this.send(pcm), this.closing.signal);
      if (this.closing.signal.aborted) return;
      this.chatId ??= await makeChat();
      if (!this.closing.signal.aborted) this.connect(this.chatId);
    } catch (error) {
      this.error.set(error);
      this.end();
    }
  }

  end(): void {
    if (this.closing.signal.aborted) return;
    this.closing.abort();
    this.socket?.close(1000);
    void this.player.close();
  }

  private connect(chatId: string): void {
    const url = new URL(`chats/${encodeURIComponent(chatId)}/realtime`, SERVER_URL);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const key = credential.get();
    const socket = new WebSocket(url, [PROTOCOL, ...(key === null ? [] : [bearer(key)])]);
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      this.failures = 0;
      socket.send(JSON.stringify({ type: 'start' }));
      this.state.set('listening');
    });
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) =>
      typeof data === 'string' ? this.take(JSON.parse(data) as ServerMessage) : this.play(data),
    );
    socket.addEventListener('close', () => this.retry(chatId));
  }

  private retry(chatId: string): void {
    if (this.closing.signal.aborted) return;
    this.interrupted();
    this.state.set('connecting');
    const wait = RETRIES_MS[this.failures++];
    if (wait === undefined) this.error.set(new Error(text.lost));
    else setTimeout(() => this.closing.signal.aborted || this.connect(chatId), wait);
  }

  private send(pcm: ArrayBuffer): void {
    const { socket } = this;
    if (socket?.readyState === WebSocket.OPEN && socket.bufferedAmount < MAX_UNSENT)
      socket.send(pcm);
  }

  private take(message: ServerMessage): void {
    switch (message.type) {
      case 'speech_started':
        this.error.set(undefined);
        this.tellHeard();
        return this.state.set('hearing');
      case 'speech_stopped':
        return this.state.set('answering');
      case 'audio_done':
        return void this.listenAfterwards();
      case 'error':
        // It had just been played to its end.
        if (message.code === 'not_speaking') return;
        this.error.set(new Error(message.message));
        return this.state.set('listening');
      case 'event':
        return undefined;
    }
  }

  private play(pcm: ArrayBuffer): void {
    this.receivedMs += pcm.byteLength / BYTES_PER_MS;
    this.player.push(new Uint8Array(pcm));
    this.state.set('speaking');
  }

  /** A person speaks while it answers: it falls silent, and the server learns what was heard. */
  private tellHeard(): void {
    const audio_end_ms = Math.max(0, Math.round(this.receivedMs - this.player.leftMs));
    if (this.receivedMs > 0 && this.player.leftMs > 0)
      this.socket?.send(JSON.stringify({ type: 'truncate', audio_end_ms }));
    this.interrupted();
  }

  private interrupted(): void {
    this.player.clear();
    this.receivedMs = 0;
  }

  private async listenAfterwards(): Promise<void> {
    await this.player.drained(0, this.closing.signal);
    if (this.state.get() !== 'speaking') return;
    this.receivedMs = 0;
    this.state.set('listening');
  }
}

function bearer(key: string): string {
  const bytes = new TextEncoder().encode(key);
  const base64 = btoa(String.fromCharCode(...bytes));
  return `parley.bearer.${base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}
