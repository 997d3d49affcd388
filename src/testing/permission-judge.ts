import { deepEqual, match, ok } from 'node:assert/strict';
import type { CallToJudge, PermissionJudge } from '../permissions/judges/permission-judge.js';
import { within } from './check.js';
import type { Check } from './check.js';

/** The server waits for a judge so long, in milliseconds. */
const ANSWER_MS = 10_000;
const MAX_REASON = 1_000;
const DECISIONS = ['allow', 'ask', 'deny'];

const AGENT = { tenant_id: 'default', user_id: 'ann', chat_id: 'chat_1', chat_uid: 'uid_1' };
const CALLS: readonly CallToJudge[] = [
  {
    ...AGENT,
    tool_name: 'bash',
    tool_input: { command: 'ls -la' },
    policy: { category: 'execute', read_only: false, risk: 'high', recovery: 'report' },
    agent: 'react',
  },
  {
    ...AGENT,
    tool_name: 'read',
    tool_input: { path: 'a.txt' },
    policy: { category: 'read', read_only: true, risk: 'low', recovery: 'rerun' },
  },
  { tenant_id: 'default', user_id: 'ann', tool_name: 'a_tool_of_a_client', tool_input: {} },
];

export interface PermissionJudgeUnderTest {
  readonly make: () => PermissionJudge;
  /** Beside some of built-in tools: calls about which it has an opinion. */
  readonly calls: readonly CallToJudge[];
}

/** The contract of a `PermissionJudge`, as far as the server relies on it. */
export function permissionJudgeChecks({ make, calls }: PermissionJudgeUnderTest): Check[] {
  const all = [...CALLS, ...calls].map((call) => freeze(structuredClone(call)));
  return [
    { name: 'has a name that people can read', run: async () => match(make().name, /\S/) },
    {
      name: 'answers each call in time with nothing, or with a decision and a reason',
      run: async () => {
        const judge = make();
        for (const call of all) {
          const said: unknown = await answerOf(judge, call);
          if (said === undefined) continue;
          const { decision, reason } = Object(said) as Record<string, unknown>;
          ok(
            DECISIONS.includes(String(decision)),
            `${call.tool_name}: decided ${String(decision)}`,
          );
          ok(typeof reason === 'string' && reason !== '', `${call.tool_name}: gave no reason`);
          ok(reason.length <= MAX_REASON, `the reason is longer than ${MAX_REASON} characters`);
        }
      },
    },
    {
      name: 'has an opinion about the calls of this test',
      run: async () => {
        for (const call of calls) ok(await answerOf(make(), call), `${call.tool_name}: no opinion`);
      },
    },
    {
      name: 'answers the same when it is asked again, as after a crash, and changes no call',
      run: async () => {
        const [judge, other] = [make(), make()];
        for (const call of all) {
          const said = await answerOf(judge, call);
          deepEqual(await answerOf(judge, call), said);
          deepEqual(await answerOf(other, call), said);
        }
      },
    },
  ];
}

async function answerOf(judge: PermissionJudge, call: CallToJudge): Promise<unknown> {
  return within(ANSWER_MS, `the answer about ${call.tool_name}`, (async () => judge.judge(call))());
}

/** A change of a frozen call throws. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}
