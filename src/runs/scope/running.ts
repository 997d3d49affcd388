import type { Usage } from '../../protocol/interaction.js';

/** Text of an answer that readers have seen while it was streamed. */
export interface ShownText {
  readonly block_id: string;
  readonly content: string;
}

/** A model turn that is being streamed, as the run's scope sees it. */
export interface RunningTurn {
  readonly options: {
    /** `<provider>/<name>` */
    readonly model: string;
    readonly agent_id: string;
    readonly visible: boolean;
    /** A turn without tool calls is the answer. */
    readonly answers: boolean;
  };
  /** The text so far; undefined unless readers have seen some of it. */
  readonly shownText: ShownText | undefined;
  /** Ids of the blocks that readers have seen in part. */
  shownBlockIds(): readonly string[];
  /** Its usage so far; undefined if the model has sent nothing. */
  usage(): Usage | undefined;
}

/** A child agent, as the run's scope sees it. */
export interface RunningChild {
  /** Stops it if a person has deleted it, and returns true in that case. */
  removeIfDeleted(): boolean;
}

/** A tool call whose agent goes on without its result. */
export interface DeferredWork {
  run(): Promise<void>;
}
