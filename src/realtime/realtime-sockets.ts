import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Request, Response } from 'express';
import { WebSocketServer } from 'ws';
import type { RawData, WebSocket } from 'ws';
import type { Principal } from '../auth/principal.js';
import { Config } from '../config/config.js';
import { takeUpgrade } from '../http/upgrades.js';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.js';
import { Periodic } from '../kernel/async/periodic.js';
import { withinTenant } from '../kernel/tenant-scope.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import { AdmissionGate } from '../streams/admission-gate.js';
import { Counts } from '../kernel/counts.js';
import { CredentialWatch } from '../streams/credential-watch.js';
import { RealtimeServices } from './realtime-services.js';
import { RealtimeSession } from './realtime-session.js';
import { RealtimeSocket } from './realtime-socket.js';

const PROTOCOL = 'parley.realtime';
/** Bytes of one message: 20 s of audio. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Each holds up to four utterances, 12 MB. */
const MAX_SOCKETS = 64;
const MAX_SOCKETS_OF_USER = 8;
/** Heartbeats without an answer after which a client is dead. */
const MAX_MISSED = 2;
/** Messages in JSON that a client may send within a second. */
const MAX_MESSAGES = 100;
/** Time for a client to answer a close, in milliseconds. */
const CLOSE_MS = 1_000;

export interface Upgrading {
  readonly caller: Principal;
  readonly chat: ChatRow;
  readonly request: Request;
  readonly response: Response;
}

/** The WebSockets of this process. */
@Injectable()
export class RealtimeSockets implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly server = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, perMessageDeflate: false },
    ...{ maxPayload: MAX_MESSAGE_BYTES, closeTimeout: CLOSE_MS },
    handleProtocols: (names) => (names.has(PROTOCOL) ? PROTOCOL : false),
  });
  private readonly open = new Map<WebSocket, RealtimeSocket>();
  /** Heartbeats that were not answered. */
  private readonly missed = new WeakMap<WebSocket, number>();
  private readonly counts = new Counts();
  private readonly heartbeats: Periodic;

  constructor(
    private readonly services: RealtimeServices,
    private readonly credentials: CredentialWatch,
    private readonly gate: AdmissionGate,
    config: Config,
    private readonly clock: Clock,
  ) {
    const run = (): void => this.beat();
    this.heartbeats = new Periodic(clock, { name: 'Realtime', every_ms: config.heartbeatMs, run });
    gate.closed.addEventListener('abort', () => this.closeAll());
  }

  /** Sockets that are open. */
  get count(): number {
    return this.open.size;
  }

  onApplicationBootstrap(): void {
    this.heartbeats.start();
  }

  onApplicationShutdown(): void {
    void this.heartbeats.stop();
    for (const ws of this.open.keys()) ws.terminate();
  }

  /**
   * Makes the connection a WebSocket, and the session its own. The response is not to be used then.
   * @throws AppError `too_many_sockets` (503), `upgrade_required` (426)
   */
  accept(upgrading: Upgrading): void {
    const { request, response, caller } = upgrading;
    const upgrade = takeUpgrade(request);
    if (!upgrade || !isValid(request)) throw upgradeRequired(response);
    const user = JSON.stringify([caller.tenant_id, caller.user_id]);
    if (this.counts.of(user) >= MAX_SOCKETS_OF_USER) throw tooMany('The user', MAX_SOCKETS_OF_USER);
    if (this.open.size >= MAX_SOCKETS) throw tooMany('The server', MAX_SOCKETS);
    const { socket, head } = upgrade;
    response.statusCode = 101;
    this.server.handleUpgrade(request, socket, head, (ws) => {
      this.counts.add(user, 1);
      ws.once('close', () => this.counts.add(user, -1));
      withinTenant(caller.tenant_id, () => this.begin(ws, upgrading));
    });
  }

  private begin(ws: WebSocket, { request, response, caller, chat }: Upgrading): void {
    const socket = new RealtimeSocket(ws, request.socket);
    const session = new RealtimeSession(this.services, { caller, chat, socket });
    const messages = new MessageRate(this.clock);
    const inTenant = (work: () => void): void => withinTenant(caller.tenant_id, work);
    this.open.set(ws, socket);
    this.missed.set(ws, 0);
    const watch = this.credentials.watch(response, { complete: () => socket.close('credential') });
    ws.on('pong', () => this.missed.set(ws, 0));
    ws.on('error', () => {}); // 'close' follows
    ws.on('message', (data, isBinary) => {
      if (!socket.isOpen) return;
      if (!isBinary && messages.isTooMany()) return socket.close('flood');
      const bytes = toBuffer(data);
      inTenant(() => (isBinary ? session.takeAudio(bytes) : session.takeText(bytes.toString())));
    });
    ws.once('close', () => {
      this.open.delete(ws);
      watch();
      inTenant(() => session.end());
    });
    if (this.gate.closed.aborted) socket.close('shutdown');
  }

  private closeAll(): void {
    for (const socket of this.open.values()) socket.close('shutdown');
  }

  /** Ends connections whose client does not answer. */
  private beat(): void {
    for (const ws of this.open.keys()) {
      const missed = this.missed.get(ws) ?? 0;
      this.missed.set(ws, missed + 1);
      if (missed >= MAX_MISSED) ws.terminate();
      else ws.ping();
    }
  }
}

/** Counts the messages of one client, second by second. */
class MessageRate {
  private since = 0;
  private count = 0;

  constructor(private readonly clock: Clock) {}

  isTooMany(): boolean {
    const now = this.clock.monotonic();
    if (now - this.since >= 1000) [this.since, this.count] = [now, 0];
    return ++this.count > MAX_MESSAGES;
  }
}

/** Checks the headers that RFC 6455 requires: the package would answer others without a problem. */
function isValid({ headers }: Request): boolean {
  const key = headers['sec-websocket-key'];
  return headers['sec-websocket-version'] === '13' && /^[+/\w]{22}==$/.test(key ?? '');
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

function upgradeRequired(response: Response): AppError {
  response.set({ Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Version': '13' });
  const message = 'Open a WebSocket here, version 13: docs/audio.md describes its messages.';
  return new AppError('upgrade_required', 'upgrade_required', message);
}

function tooMany(owner: string, most: number): AppError {
  const message = `${owner} has ${most} open WebSockets already. Close some, or retry shortly.`;
  return new AppError('unavailable', 'too_many_sockets', message);
}
