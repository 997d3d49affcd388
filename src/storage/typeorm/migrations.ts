import { CreateChatsInteractionsRecords1795219200000 } from '../../../migrations/1795219200000-create-chats-interactions-records.js';
import { RequestsAndBranches1795262400000 } from '../../../migrations/1795262400000-requests-and-branches.js';
import { CreatePermissionRules1795305600000 } from '../../../migrations/1795305600000-create-permission-rules.js';
import { KeepQueueRank1795350000000 } from '../../../migrations/1795350000000-keep-queue-rank.js';
import { CountLosses1795400000000 } from '../../../migrations/1795400000000-count-losses.js';
import { CreateTasks1795392000000 } from '../../../migrations/1795392000000-create-tasks.js';
import { RememberRuleUses1795420000000 } from '../../../migrations/1795420000000-remember-rule-uses.js';
import { AgentsAndInterventions1795430000000 } from '../../../migrations/1795430000000-agents-and-interventions.js';
import { CreateIncomingChats1795410000000 } from '../../../migrations/1795410000000-create-incoming-chats.js';

/** Every migration, oldest first. Named one by one, so that a build, a test and a container run the same. */
export const MIGRATIONS = [
  CreateChatsInteractionsRecords1795219200000,
  RequestsAndBranches1795262400000,
  CreatePermissionRules1795305600000,
  KeepQueueRank1795350000000,
  CreateTasks1795392000000,
  CountLosses1795400000000,
  CreateIncomingChats1795410000000,
  RememberRuleUses1795420000000,
  AgentsAndInterventions1795430000000,
];
