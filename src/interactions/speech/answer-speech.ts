import { Injectable } from '@nestjs/common';
import { AudioService } from '../../audio/audio.service.js';
import type { Speech } from '../../audio/audio.service.js';
import type { JoinableFormat } from '../../audio/speech/joined-speech.js';
import type { Principal } from '../../auth/principal.js';
import { RecordStore } from '../../persistence/record.store.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { START } from '../../protocol/cursor.js';
import { isFinal } from '../../protocol/interaction.js';
import { EventsService } from '../events.service.js';
import { AnswerText } from './answer-text.js';
import { SentenceQueue } from './sentence-queue.js';

export interface SpokenRequest {
  readonly caller: Principal;
  readonly voice?: string;
  readonly format?: JoinableFormat;
}

interface Followed {
  readonly text: AnswerText;
  readonly sentences: SentenceQueue;
  readonly cancelled: AbortController;
}

/** Maximum size of answers that are read before they are spoken. */
const MAX_BYTES = 1024 * 1024;
const HIDDEN = new Error('The chat was deleted, or hidden, meanwhile.');

/** Answers as speech, sentence by sentence, while they are written. */
@Injectable()
export class AnswerSpeech {
  constructor(
    private readonly events: EventsService,
    private readonly records: RecordStore,
    private readonly audio: AudioService,
  ) {}

  /**
   * Follows the log until the interaction ends; the speech of one that is cancelled meanwhile ends
   * at once. Of one that has ended, texts in whose place the agent has returned others are left
   * out.
   * @throws AppError `unknown_format` (400)
   */
  async speak(
    row: InteractionRow,
    { caller, ...request }: SpokenRequest,
    signal: AbortSignal,
  ): Promise<Speech> {
    const text = new AnswerText(row.agent_id, await this.findReplaced(row));
    const sentences = new SentenceQueue();
    const cancelled = new AbortController();
    const stopping = AbortSignal.any([signal, cancelled.signal]);
    const { mime_type, chunks } = this.audio.speakSentences(sentences, request, stopping);
    const follow = () => this.follow(row, caller, { text, sentences, cancelled });
    return { mime_type, chunks: followed(chunks, { follow, sentences, signal, cancelled }) };
  }

  private follow(
    row: InteractionRow,
    caller: Principal,
    { text, sentences, cancelled }: Followed,
  ): () => void {
    const options = { caller, from: START, trace: false, backlog: sentences };
    const subscription = this.events.follow(row, options).subscribe({
      next: ({ event }) => {
        sentences.push(text.take(event));
        if (text.status === 'CANCELLED' && !isFinal(row.status)) cancelled.abort();
      },
      error: (error: Error) => sentences.fail(error),
      complete: () => (text.status === undefined ? sentences.fail(HIDDEN) : sentences.close()),
    });
    return () => subscription.unsubscribe();
  }

  /** Blocks; those of an interaction that runs are not known in time. */
  private async findReplaced({ id, status }: InteractionRow): Promise<ReadonlySet<string>> {
    if (!isFinal(status)) return new Set();
    const pages = await this.records.readEventsOfTypes([id], ['ANSWER'], MAX_BYTES);
    const answers = pages.get(id)?.records ?? [];
    return new Set(answers.flatMap(({ body }) => ('replaces' in body && body.replaces) || []));
  }
}

/** The log is followed while the chunks are read. */
async function* followed(
  chunks: AsyncIterable<Uint8Array>,
  {
    follow,
    sentences,
    signal,
    cancelled,
  }: {
    readonly follow: () => () => void;
    readonly sentences: SentenceQueue;
    readonly signal: AbortSignal;
    readonly cancelled: AbortController;
  },
): AsyncGenerator<Uint8Array> {
  const stop = (): void => sentences.fail(signal.reason as Error);
  const end = (): void => sentences.fail(cancelled.signal.reason as Error);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  cancelled.signal.addEventListener('abort', end, { once: true });
  const unfollow = follow();
  try {
    yield* chunks;
  } catch (error) {
    if (!cancelled.signal.aborted) throw error;
  } finally {
    unfollow();
    sentences.close();
    signal.removeEventListener('abort', stop);
  }
}
