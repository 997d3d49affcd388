import { Logger } from '@nestjs/common';
import type { Subscription } from 'rxjs';
import type { Principal } from '../auth/principal.js';
import { wavHeader } from '../audio/wav.js';
import type { StreamEvent } from '../event-log/follow/stream-event.js';
import type { ChatFrame } from '../feed/chat-reader.js';
import { AppError } from '../kernel/app-error.js';
import { cutText } from '../kernel/text/cut-text.js';
import { SPEECH } from '../persistence/rows/intervention-rows.js';
import type { HeardPart } from '../persistence/rows/intervention-rows.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import { parseClientMessage } from './client-message.js';
import type { ClientMessage, SpeechOptions } from './client-message.js';
import type { RealtimeServices } from './realtime-services.js';
import type { RealtimeSocket } from './realtime-socket.js';
import { SpokenAnswer } from './spoken-answer.js';
import { VoiceActivity } from './voice-activity.js';

/** Longest utterance; what goes on is the next one. */
const MAX_UTTERANCE_MS = 60_000;
/** Utterances that wait for their transcripts, or for the answer before; each is up to 2.9 MB. */
const MAX_UTTERANCES = 3;
/** Characters of a transcript. */
const MAX_TRANSCRIPT = 32_768;
/** Time in which a client can say how much it has played, after it was interrupted. */
const TRUNCATE_MS = 100;
const NOTHING = Promise.resolve({ text: '' });
/** Events that come while an interaction is being started. */
const MAX_EARLY = 1_000;

interface SessionOptions {
  readonly caller: Principal;
  readonly chat: ChatRow;
  readonly socket: RealtimeSocket;
}

/** Connection that hears utterances, starts interactions with them, and speaks the answers. */
export class RealtimeSession {
  private readonly logger = new Logger('Realtime');
  private readonly closing = new AbortController();
  private readonly voice: VoiceActivity;
  private options: SpeechOptions = {};
  private following: Subscription | undefined;
  private opening: Promise<void> | undefined;
  private speech: SpokenAnswer | undefined;
  /** Ends the time to tell what was heard of an answer that was interrupted. */
  private settle: ((audio_end_ms?: number) => void) | undefined;
  private settled: Promise<void> = Promise.resolve();
  private starting = false;
  private early: StreamEvent[] = [];
  private utterances = 0;
  /** How often the client has interrupted: what was said before is not answered. */
  private interrupts = 0;
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly services: RealtimeServices,
    private readonly session: SessionOptions,
  ) {
    this.voice = new VoiceActivity(Math.min(MAX_UTTERANCE_MS, services.config.audioMaxMs));
  }

  /** Never throws: the client is told of errors. */
  takeAudio(pcm: Uint8Array): void {
    if (pcm.length % 2 === 1) return this.report(oddAudio());
    this.open();
    for (const event of this.voice.push(pcm)) {
      const { at_ms: audio_ms } = event;
      this.session.socket.tell({ type: `speech_${event.type}`, audio_ms });
      if (event.type === 'stopped') this.answerLater(event.utterance);
      else if (this.speech?.isAnswering) this.interrupt();
    }
  }

  /** Never throws: the client is told of errors. */
  takeText(text: string): void {
    try {
      this.takeMessage(parseClientMessage(text));
    } catch (error) {
      this.report(error);
    }
  }

  /** The connection is closed. The answer goes on without being spoken. */
  end(): void {
    this.closing.abort();
    this.following?.unsubscribe();
    this.settle?.();
    this.speech?.stop();
  }

  private takeMessage(message: ClientMessage): void {
    switch (message.type) {
      case 'start':
        this.services.checks.require(this.session.caller, message.options);
        this.options = message.options;
        return this.open(message.after);
      case 'commit':
        return this.commit();
      case 'interrupt':
        this.interrupts++;
        return this.interrupt();
      case 'truncate':
        this.interrupt();
        if (!this.settle) throw notSpeaking();
        return this.settle(message.audio_end_ms);
    }
  }

  private commit(): void {
    this.open();
    const { isSpeaking, now_ms: audio_ms } = this.voice;
    const utterance = this.voice.commit();
    if (isSpeaking) this.session.socket.tell({ type: 'speech_stopped', audio_ms });
    if (utterance) this.answerLater(utterance);
  }

  /** Follows the chat from the first message on. */
  private open(after?: string): void {
    this.opening ??= this.follow(after).catch((error: unknown) => {
      this.opening = undefined;
      this.report(error);
    });
  }

  private async follow(after: string | undefined): Promise<void> {
    const { caller, chat, socket } = this.session;
    const { live } = this.services;
    const sent = after === undefined ? undefined : ({ field: 'after', text: after } as const);
    const from = await live.position(caller, chat, sent);
    if (this.closing.signal.aborted) return;
    const options = { from, trace: false, backlog: socket };
    this.following = live.ofChat(caller, chat, options).subscribe({
      next: (frame) => this.takeFrame(frame),
      complete: () => socket.close('done'),
    });
  }

  private takeFrame({ cursor, event }: ChatFrame): void {
    if (!isOfLog(event)) return;
    this.session.socket.tell({ type: 'event', cursor, event });
    if (this.starting) {
      if (this.early.length < MAX_EARLY) this.early.push(event as StreamEvent);
    } else if (event.interaction_id === this.speech?.interactionId)
      this.speech.take(event as StreamEvent);
  }

  /** Answers one utterance after the other. */
  private answerLater(utterance: Buffer): void {
    if (this.utterances >= MAX_UTTERANCES) return this.report(tooFast());
    this.utterances++;
    const { interrupts } = this;
    this.work = this.work
      .then(() => this.answer(utterance, () => this.interrupts > interrupts))
      .catch((error: unknown) => this.report(error))
      .finally(() => this.utterances--);
  }

  private async answer(utterance: Buffer, isInterrupted: () => boolean): Promise<void> {
    const { caller, chat } = this.session;
    const { language, voice: _, ...body } = this.options;
    const { signal } = this.closing;
    const content = Buffer.concat([wavHeader(utterance.length), utterance]);
    const recording = { content, filename: 'speech.wav' };
    const { audio } = this.services;
    const { text } = await audio.slots.withinOnceFree(signal, () =>
      isInterrupted() ? NOTHING : audio.transcribe(recording, language, signal),
    );
    const user_message = cutText(text.trim(), MAX_TRANSCRIPT);
    if (user_message === '' || signal.aborted || isInterrupted()) return;
    await this.opening;
    this.interrupt();
    this.settle?.();
    await this.settled;
    this.starting = true;
    try {
      const { interaction } = await this.services.starts.start({
        ...{ caller, chat_id: chat.id, user_message, body, idempotency_key: undefined },
        ...{ on_conflict: 'interrupt', background: true, spoken: true },
      });
      this.speak(interaction);
      if (isInterrupted()) this.interrupt();
    } finally {
      this.starting = false;
      this.early = [];
    }
  }

  private speak({ id: interaction_id, agent_id }: InteractionRow): void {
    const { audio, clock } = this.services;
    const { socket } = this.session;
    const { voice } = this.options;
    const parts = { interaction_id, agent_id, voice, audio, clock, sink: socket };
    const speech = new SpokenAnswer(parts);
    this.speech = speech;
    if (this.closing.signal.aborted) speech.stop();
    for (const event of this.early) if (event.interaction_id === interaction_id) speech.take(event);
    void this.speakToEnd(speech);
  }

  private async speakToEnd(speech: SpokenAnswer): Promise<void> {
    try {
      await speech.speak();
    } catch (error) {
      this.report(error);
    }
    const { interactionId: interaction_id } = speech;
    this.session.socket.tell({ type: 'audio_done', interaction_id });
    await speech.played();
    if (speech.isStopped && !this.closing.signal.aborted) return;
    this.release(speech);
  }

  /** The audio stops at once; what was heard is journaled a moment later. */
  private interrupt(): void {
    const { speech } = this;
    if (!speech || speech.isStopped) return;
    speech.stop();
    this.settled = new Promise((resolve) => {
      const settle = (audio_end_ms?: number): void => {
        callOff();
        this.settle = undefined;
        const heard = speech.heard(audio_end_ms);
        this.cancel(speech, heard)
          .catch((error: unknown) => this.report(error))
          .finally(resolve);
      };
      const callOff = this.services.clock.after(TRUNCATE_MS, settle);
      this.settle = settle;
    });
  }

  private async cancel(
    { interactionId }: SpokenAnswer,
    heard: HeardPart | undefined,
  ): Promise<void> {
    const { caller, chat } = this.session;
    if (heard) await this.signal(interactionId, 'heard', heard);
    try {
      await this.services.cancellation.requestByUser(caller, chat.id, interactionId);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'already_ended')) throw error;
    }
  }

  /** Its run, which waits for the end of the speech, ends. */
  private release(speech: SpokenAnswer): void {
    if (this.speech === speech) this.speech = undefined;
    const { interactionId } = speech;
    this.signal(interactionId, 'played', null)
      .then(() => this.services.waker.wake(interactionId))
      .catch((error: unknown) => this.report(error));
  }

  private async signal(
    interaction_id: string,
    user_comment: 'heard' | 'played',
    heard: HeardPart | null,
  ): Promise<void> {
    const { clock, ids, interventions } = this.services;
    const { user_id: created_by, tenant_id } = this.session.caller;
    const signal = {
      ...{ id: ids.make('intervention'), interaction_id, agent_id: SPEECH, user_comment },
      ...{ user_content: heard && JSON.stringify(heard), redacted: null, created_by },
      created_at: clock.now().toISOString(),
    };
    await interventions.intervene(signal, tenant_id);
  }

  private report(error: unknown): void {
    if (this.closing.signal.aborted) return;
    const isKnown = error instanceof AppError && error.kind !== 'internal';
    if (!isKnown) this.logger.warn({ message: 'A realtime session failed', err: error });
    const { code, message } = isKnown ? error : internal();
    this.session.socket.tell({ type: 'error', code, message });
  }
}

/** Records and deltas of interactions, not what changes in the chat besides. */
function isOfLog(
  event: ChatFrame['event'],
): event is ChatFrame['event'] & { readonly interaction_id: string } {
  if (!('interaction_id' in event && 'agent_id' in event)) return false;
  return event.type !== 'AGENT_STATE';
}

function oddAudio(): AppError {
  const message =
    'The audio was dropped: binary messages are whole samples of 16 bits, mono, 24 kHz, little-endian.';
  return new AppError('invalid', 'odd_audio', message);
}

function notSpeaking(): AppError {
  const message = 'No answer is being played: it was played to its end, or truncated before.';
  return new AppError('conflict', 'not_speaking', message);
}

function tooFast(): AppError {
  const message = `An utterance was dropped: ${MAX_UTTERANCES} wait for their transcripts. Wait for their answers.`;
  return new AppError('rate_limited', 'too_many_utterances', message);
}

function internal(): AppError {
  return new AppError('internal', 'internal', "Internal error. See the server's log.");
}
