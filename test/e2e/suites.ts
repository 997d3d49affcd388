import { describeAccessMatrix } from './suites/access-matrix.js';
import { describeAcrossProtocols } from './suites/across-protocols.js';
import { describeAgentFiles } from './suites/agent-files.js';
import { describeAgentTexts } from './suites/agent-texts.js';
import { describeAgents } from './suites/agents.js';
import { describeAnthropic } from './suites/anthropic.js';
import { describeApprovals } from './suites/approvals.js';
import { describeAuthAccess } from './suites/auth-access.js';
import { describeAuthCanary } from './suites/auth-canary.js';
import { describeAuthJwt } from './suites/auth-jwt.js';
import { describeAuthKeys } from './suites/auth-keys.js';
import { describeAuthStreams } from './suites/auth-streams.js';
import { describeAnswerSpeech } from './suites/answer-speech.js';
import { describeAttachedFiles } from './suites/attached-files.js';
import { describeAudio } from './suites/audio.js';
import { describeAudioMessages } from './suites/audio-messages.js';
import { describeAudit } from './suites/audit.js';
import { describeBash } from './suites/bash.js';
import { describeBudgets } from './suites/budgets.js';
import { describeCallLimits } from './suites/call-limits.js';
import { describeCancel } from './suites/cancel.js';
import { describeChatArchives } from './suites/chat-archives.js';
import { describeChatFolder } from './suites/chat-folder.js';
import { describeChatSettings } from './suites/chat-settings.js';
import { describeChats } from './suites/chats.js';
import { describeChildren } from './suites/children.js';
import { describeClient } from './suites/client.js';
import { describeClientTools } from './suites/client-tools.js';
import { describeCoder } from './suites/coder.js';
import { describeCodingSession } from './suites/coding-session.js';
import { describeConflict } from './suites/conflict.js';
import { describeDefer } from './suites/defer.js';
import { describeDeliberate } from './suites/deliberate.js';
import { describeDeniedPaths } from './suites/denied-paths.js';
import { describeDisconnect } from './suites/disconnect.js';
import { describeEditBranches } from './suites/edit-branches.js';
import { describeChangedData } from './suites/changed-data.js';
import { describeEncryption } from './suites/encryption.js';
import { describeExamples } from './suites/examples.js';
import { describeFileTools } from './suites/file-tools.js';
import { describeAgUi } from './suites/ag-ui.js';
import { describeA2a } from './suites/a2a.js';
import { describeA2aErrors } from './suites/a2a-errors.js';
import { describeAiSdk } from './suites/ai-sdk.js';
import { describeFacades } from './suites/facades.js';
import { describeFiles } from './suites/files.js';
import { describeFlow } from './suites/flow.js';
import { describeGuardrails } from './suites/guardrails.js';
import { describeImages } from './suites/images.js';
import { describeInbox } from './suites/inbox.js';
import { describeInput } from './suites/input.js';
import { describeLangGraphProtocol } from './suites/langgraph-protocol.js';
import { describeLangGraph } from './suites/langgraph.js';
import { describeLifecycleTable } from './suites/lifecycle-table.js';
import { describeLiveState } from './suites/live-state.js';
import { describeMcpFacade } from './suites/mcp-facade.js';
import { describeMcpTools } from './suites/mcp-tools.js';
import { describeMcpWire } from './suites/mcp-wire.js';
import { describeMetrics } from './suites/metrics.js';
import { describeModelFaults } from './suites/model-faults.js';
import { describeOpenAiAudio } from './suites/openai-audio.js';
import { describeOpenAiChat } from './suites/openai-chat.js';
import { describeOpenAiResponses } from './suites/openai-responses.js';
import { describeOperating } from './suites/operating.js';
import { describeParking } from './suites/parking.js';
import { describeProtocolRules } from './suites/protocol-rules.js';
import { describePython } from './suites/python.js';
import { describeQueue } from './suites/queue.js';
import { describeQuestions } from './suites/questions.js';
import { describeQuotas } from './suites/quotas.js';
import { describeReaders } from './suites/readers.js';
import { describeReadersThatMove } from './suites/readers-that-move.js';
import { describeReconnecting } from './suites/reconnecting.js';
import { describeRealtime } from './suites/realtime.js';
import { describeRedaction } from './suites/redaction.js';
import { describeRemember } from './suites/remember.js';
import { describeRetention } from './suites/retention.js';
import { describeRetry } from './suites/retry.js';
import { describeRoles } from './suites/roles.js';
import { describeSearch } from './suites/search.js';
import { describeSessionLog } from './suites/session-log.js';
import { describeSlots } from './suites/slots.js';
import { describeStarts } from './suites/starts.js';
import { describeSpeakers } from './suites/speakers.js';
import { describeSteering } from './suites/steering.js';
import { describeSurface } from './suites/surface.js';
import { describeTasks } from './suites/tasks.js';
import { describeTenants } from './suites/tenants.js';
import { describeTimeline } from './suites/timeline.js';
import { describeTools } from './suites/tools.js';
import { describeTranscripts } from './suites/transcripts.js';
import { describeTwoProcesses } from './suites/two-processes.js';
import { describeUploads } from './suites/uploads.js';
import { describeVendorTranscripts } from './suites/vendor-transcripts.js';
import { describeWaits } from './suites/waits.js';
import { describeUsage } from './suites/usage.js';
import { describeWebhooks } from './suites/webhooks.js';
import type { Servers } from './servers.js';

/** By name: `npm test -- on-files -t '^cancel '` runs the suite `cancel` on files. */
export type Suites = Readonly<Record<string, (servers: Servers) => void>>;

/** What they test depends on how the store keeps and orders it: they run on each store. */
export const STORE_SUITES: Suites = {
  cancel: describeCancel,
  'chat-settings': describeChatSettings,
  chats: describeChats,
  conflict: describeConflict,
  'edit-branches': describeEditBranches,
  flow: describeFlow,
  inbox: describeInbox,
  'live-state': describeLiveState,
  parking: describeParking,
  queue: describeQueue,
  quotas: describeQuotas,
  reconnecting: describeReconnecting,
  retention: describeRetention,
  retry: describeRetry,
  'session-log': describeSessionLog,
  starts: describeStarts,
  uploads: describeUploads,
};

/**
 * They read what others have saved: they run on files, and with `TEST_ALL=1` on Postgres, by one
 * server or a cluster.
 */
export const SAVING_SUITES: Suites = {
  'access-matrix': describeAccessMatrix,
  approvals: describeApprovals,
  'answer-speech': describeAnswerSpeech,
  'attached-files': describeAttachedFiles,
  audio: describeAudio,
  'audio-messages': describeAudioMessages,
  audit: describeAudit,
  'auth-canary': describeAuthCanary,
  'auth-keys': describeAuthKeys,
  'changed-data': describeChangedData,
  'chat-archives': describeChatArchives,
  'client-tools': describeClientTools,
  defer: describeDefer,
  encryption: describeEncryption,
  questions: describeQuestions,
  realtime: describeRealtime,
  remember: describeRemember,
  tasks: describeTasks,
  tenants: describeTenants,
  timeline: describeTimeline,
  usage: describeUsage,
  webhooks: describeWebhooks,
};

/** What they test is the same on each store that passes its contract: they run on files. */
export const OTHER_SUITES: Suites = {
  'across-protocols': describeAcrossProtocols,
  'agent-files': describeAgentFiles,
  'agent-texts': describeAgentTexts,
  agents: describeAgents,
  anthropic: describeAnthropic,
  'auth-access': describeAuthAccess,
  'auth-jwt': describeAuthJwt,
  'auth-streams': describeAuthStreams,
  bash: describeBash,
  budgets: describeBudgets,
  'call-limits': describeCallLimits,
  'chat-folder': describeChatFolder,
  children: describeChildren,
  client: describeClient,
  coder: describeCoder,
  'coding-session': describeCodingSession,
  deliberate: describeDeliberate,
  'denied-paths': describeDeniedPaths,
  disconnect: describeDisconnect,
  examples: describeExamples,
  'ag-ui': describeAgUi,
  a2a: describeA2a,
  'a2a-errors': describeA2aErrors,
  'ai-sdk': describeAiSdk,
  facades: describeFacades,
  'file-tools': describeFileTools,
  files: describeFiles,
  guardrails: describeGuardrails,
  images: describeImages,
  input: describeInput,
  langgraph: describeLangGraph,
  'langgraph-protocol': describeLangGraphProtocol,
  'lifecycle-table': describeLifecycleTable,
  'mcp-facade': describeMcpFacade,
  'mcp-tools': describeMcpTools,
  'mcp-wire': describeMcpWire,
  metrics: describeMetrics,
  'model-faults': describeModelFaults,
  'openai-audio': describeOpenAiAudio,
  'openai-chat': describeOpenAiChat,
  'openai-responses': describeOpenAiResponses,
  operating: describeOperating,
  'protocol-rules': describeProtocolRules,
  python: describePython,
  readers: describeReaders,
  redaction: describeRedaction,
  search: describeSearch,
  slots: describeSlots,
  speakers: describeSpeakers,
  steering: describeSteering,
  surface: describeSurface,
  tools: describeTools,
  transcripts: describeTranscripts,
  'vendor-transcripts': describeVendorTranscripts,
  waits: describeWaits,
};

/** They start processes of their own, which share Postgres and Redis. */
export const PROCESS_SUITES: Suites = {
  'readers-that-move': describeReadersThatMove,
  roles: describeRoles,
  'two-processes': describeTwoProcesses,
};

/** What they test may take place on several processes at once: readers, deciders, runs. */
export const CLUSTER_SUITES: readonly string[] = [
  'a2a',
  'ag-ui',
  'ai-sdk',
  'approvals',
  'audit',
  'auth-keys',
  'auth-streams',
  'cancel',
  'chat-settings',
  'children',
  'client-tools',
  'conflict',
  'defer',
  'disconnect',
  'edit-branches',
  'flow',
  'inbox',
  'langgraph',
  'langgraph-protocol',
  'live-state',
  'mcp-facade',
  'mcp-wire',
  'openai-chat',
  'openai-responses',
  'operating',
  'parking',
  'questions',
  'queue',
  'quotas',
  'readers',
  'reconnecting',
  'remember',
  'retention',
  'retry',
  'starts',
  'steering',
  'tasks',
  'tenants',
  'uploads',
  'waits',
];

/** They see of a server what its clients see: they also run against the built program. */
export const BUILT_SUITES: readonly string[] = [
  'a2a-errors',
  'agents',
  'anthropic',
  'approvals',
  'attached-files',
  'budgets',
  'chat-settings',
  'client',
  'coder',
  'deliberate',
  'edit-branches',
  'facades',
  'file-tools',
  'flow',
  'langgraph-protocol',
  'openai-chat',
  'openai-responses',
  'queue',
  'reconnecting',
  'search',
  'surface',
  'tasks',
  'timeline',
  'tools',
  'vendor-transcripts',
  'waits',
];
