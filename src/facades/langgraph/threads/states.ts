import { isFinal } from '../../../protocol/interaction.js';
import type { Interrupt } from '../interrupts/interrupt.js';
import type { LcMessage } from '../messages/message.js';
import { BEGINNING, inputCheckpoint } from './checkpoint-ids.js';
import type { Place } from './checkpoint-ids.js';
import { stepOf } from './step-of.js';
import type { Thread } from './thread.js';
import type { Interaction } from '../../../protocol/wire/interaction.js';

interface Checkpoint {
  readonly thread_id: string;
  readonly checkpoint_ns: '';
  readonly checkpoint_id: string;
}

/** A state of a thread, as clients read it. */
export interface ThreadState {
  readonly values: { readonly messages: readonly LcMessage[] };
  readonly next: readonly string[];
  readonly checkpoint: Checkpoint;
  readonly parent_checkpoint: Checkpoint | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly tasks: readonly object[];
}

/** The states of a thread, made of its interactions. */
export class States {
  constructor(
    private readonly thread: Thread,
    /** Interrupts of the interaction that waits. */
    private readonly interrupts: readonly Interrupt[],
  ) {}

  /** Undefined if there is none. */
  at({ interaction_id, isInput }: Place): ThreadState | undefined {
    if (interaction_id === null) return this.beginning();
    const interaction = this.thread.find(interaction_id);
    if (!interaction) return undefined;
    return isInput ? this.input(interaction) : this.end(interaction);
  }

  head(): ThreadState {
    const { head } = this.thread;
    return head ? this.end(head) : this.beginning();
  }

  /**
   * The places of its states: the newest first, each before those that it follows; the active
   * branch before others.
   */
  history(): readonly Place[] {
    const places: Place[] = [];
    const isKnown = (id: string | null): boolean =>
      id === null || this.thread.find(id) !== undefined;
    const roots = this.thread.interactions.filter(({ parent_id }) => !isKnown(parent_id));
    this.addAfter(roots, places);
    if (!this.thread.isWhole) return places;
    this.addAfter(this.thread.childrenOf(null), places);
    return [...places, { interaction_id: null, isInput: false }];
  }

  /** The id of a checkpoint of the history. */
  idOf({ interaction_id, isInput }: Place): string {
    if (interaction_id === null) return BEGINNING;
    return isInput ? inputCheckpoint(this.thread.find(interaction_id)!) : interaction_id;
  }

  private addAfter(siblings: readonly Interaction[], places: Place[]): void {
    const [active, others] = [
      siblings.filter(isActive),
      siblings.filter((each) => !isActive(each)),
    ];
    const ordered = [...active, ...others.sort(({ id: a }, { id: b }) => (a < b ? 1 : -1))];
    for (const [at, each] of ordered.entries()) {
      const { id: interaction_id } = each;
      this.addAfter(this.thread.childrenOf(interaction_id), places);
      places.push({ interaction_id, isInput: false });
      const input = inputCheckpoint(each);
      const isLast = !ordered.slice(at + 1).some((other) => inputCheckpoint(other) === input);
      if (isLast) places.push({ interaction_id, isInput: true });
    }
  }

  private beginning(): ThreadState {
    const { created_at } = this.thread.chat;
    return {
      values: { messages: this.thread.messagesTo(undefined) },
      ...{ next: [], tasks: [], created_at },
      checkpoint: this.checkpoint(BEGINNING),
      parent_checkpoint: null,
      metadata: { source: 'update', step: -1, thread_id: this.thread.id },
    };
  }

  private input(interaction: Interaction): ThreadState {
    const { id, parent_id, created_at } = interaction;
    return {
      values: { messages: this.thread.messagesTo(interaction, { isInput: true }) },
      ...{ next: ['agent'], created_at },
      tasks: [{ ...task(id), interrupts: [] }],
      checkpoint: this.checkpoint(inputCheckpoint(interaction)),
      parent_checkpoint: this.checkpoint(parent_id ?? BEGINNING),
      metadata: this.metadata(interaction, 'input'),
    };
  }

  private end(interaction: Interaction): ThreadState {
    const { id, status, error, created_at, completed_at } = interaction;
    const interrupts = id === this.thread.head?.id ? this.interrupts : [];
    const isOpen = !isFinal(status);
    const failed = error && {
      ...task(id),
      error: `${error.code}: ${error.message}`,
      interrupts: [],
    };
    return {
      values: { messages: this.thread.messagesTo(interaction) },
      next: isOpen ? ['agent'] : [],
      tasks: isOpen ? [{ ...task(id), interrupts }] : failed ? [failed] : [],
      created_at: completed_at ?? created_at,
      checkpoint: this.checkpoint(id),
      parent_checkpoint: this.checkpoint(inputCheckpoint(interaction)),
      metadata: this.metadata(interaction, 'loop'),
    };
  }

  private checkpoint(checkpoint_id: string): Checkpoint {
    return { thread_id: this.thread.id, checkpoint_ns: '', checkpoint_id };
  }

  private metadata(interaction: Interaction, source: 'input' | 'loop'): ThreadState['metadata'] {
    const { id: run_id, agent: graph_id, usage } = interaction;
    const step = stepOf(run_id) + (source === 'loop' ? 1 : 0);
    const about = {
      run_id,
      graph_id,
      thread_id: this.thread.id,
      ...(source === 'loop' && { usage }),
    };
    return { ...interaction.metadata, source, step, ...about };
  }
}

function task(id: string) {
  return { id, name: 'agent', error: null, checkpoint: null, state: null };
}

function isActive({ superseded_at }: Interaction): boolean {
  return superseded_at === null;
}
