/** A file that came with a message, as the message names it. */
export type AttachedFile = Pick<FileInfo, 'id' | 'filename' | 'mime_type' | 'size_bytes'>;

/** A file that was uploaded, or published by an agent. */
export interface FileInfo {
  readonly id: string;
  /** null: it belongs to its owner alone. */
  readonly chat_id: string | null;
  readonly filename: string;
  /** Found out from its content, not what the client said. */
  readonly mime_type: string;
  readonly size_bytes: number;
  /** Of its bytes, in hex. */
  readonly sha256: string;
  /** ISO 8601 in UTC. */
  readonly created_at: string;
  /** The user who added it. */
  readonly owner: string;
}
