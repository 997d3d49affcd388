/** `parley/client`: a typed client of the server for browsers, workers and Node. */
export { createClient } from './client.js';
export type { Client, FollowStartOptions } from './client.js';
export { EventStream } from './follow.js';
export type { Connection, FollowOptions } from './follow.js';
export { atSeq, branchOf, fold } from './fold.js';
export type {
  AgentNode,
  Conversation,
  InteractionState,
  OpenBlock,
  RequestState,
  SettlementState,
  ToolCall,
} from './fold/conversation.js';
export { addUsage, NO_USAGE } from './fold/usage.js';
export type { StartOptions } from './groups.js';
export { ParleyError } from './http.js';
export type { ClientOptions } from './http.js';
export type { CallOptions, RequestOptions } from './request.js';
export type { TranscribeOptions } from './transcribe.js';
export type { Progress, UploadOptions } from './upload.js';
export { isOutdated, OLDEST_SERVER } from './versions.js';
export type {
  Chat,
  ChatStreamEvent,
  Decider,
  DeltaEvent,
  FeedEvent,
  File,
  Interaction,
  InteractionStatus,
  Problem,
  RecordEvent,
  RecordOf,
  StreamEvent,
  Task,
  Transcript,
  Usage,
} from './types.js';
