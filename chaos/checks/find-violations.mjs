import { checkAgents } from './agents.mjs';
import { checkCancels } from './cancels.mjs';
import { checkChats } from './chats.mjs';
import { checkConversations } from './conversations.mjs';
import { checkEffects } from './effects.mjs';
import { checkLogs } from './logs.mjs';
import { checkModel } from './model.mjs';
import { checkRedis } from './redis.mjs';
import { checkRequests } from './requests.mjs';
import { checkStreams } from './streams.mjs';

const CHECKS = [
  checkLogs,
  checkStreams,
  checkEffects,
  checkRequests,
  checkAgents,
  checkConversations,
  checkCancels,
  checkChats,
  checkModel,
  checkRedis,
];

/** Every promise that was broken, in a sentence each. */
export function findViolations(world, outcome) {
  const found = CHECKS.flatMap((check) => check(world, outcome));
  return [...world.faults, ...outcome.faults, ...outcome.unfenced, ...found];
}
