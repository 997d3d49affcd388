import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DiscoveryService } from '@nestjs/core';
import { ReactAgent } from '../../src/agents/kinds/react/react.agent.js';
import { LOCAL_PRINCIPAL } from '../../src/auth/principal.js';
import { SystemClock } from '../../src/kernel/clock.js';
import { Ids } from '../../src/kernel/ids.js';
import type { AppendBatch } from '../../src/persistence/rows/append-rows.js';
import { DeclaredRules } from '../../src/permissions/rules/declared-rules.js';
import { CodeJudges } from '../../src/permissions/judges/code-judges.js';
import { CodeRules } from '../../src/permissions/rules/code-rules.js';
import { RulesFile } from '../../src/permissions/file/rules-file.js';
import { RuleJudge } from '../../src/permissions/judges/rule-judge.js';
import { PermissionsService } from '../../src/permissions/permissions.service.js';
import { RuleBook } from '../../src/permissions/rule-book.js';
import { FileRuleStore } from '../../src/storage/file/file-rule-store.js';
import { openMemoryStores } from '../../src/storage/memory/memory-stores.js';
import { ToolRegistry } from '../../src/tools/core/tool-registry.js';
import { expectEnded } from '../support/client/expect-ended.js';
import { FakeTool } from '../support/tools/fake-tool.js';
import { answerTurn, callTurn } from '../support/model/model-events.js';
import { LOCAL } from '../support/store/chat-parts.js';
import { RunWorld } from '../support/runs/run-world.js';
import { MemoryAuditStore } from '../support/store/memory-audit-store.js';
import { ScriptedProvider } from '../support/model/scripted-provider.js';

const startsTool = ({ records }: AppendBatch): boolean =>
  records.some(({ body }) => body.type === 'TOOL_STARTED');

describe('A rule with max_uses', () => {
  let folder: string;
  let store: FileRuleStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-uses-'));
    store = await FileRuleStore.open({ data_dir: folder, findChat: () => undefined });
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is used once by a call whose run is lost between the verdict and its start', async () => {
    const rules = await book();
    const { id } = await rules.add(LOCAL_PRINCIPAL, ONCE);
    const calls = [1, 2].map((n) => ({ id: `c${n}`, name: 'tool', arguments: `{"n":${n}}` }));
    const done: unknown[] = [];
    const world = await RunWorld.open({
      agent: (ctx) => new ReactAgent().run(ctx),
      judge: judgeBy(rules),
      tools: [new FakeTool('tool', ({ n }) => (done.push(n), 'ok'))],
      provider: ScriptedProvider.playing(callTurn([calls[0]!]), callTurn([calls[1]!])),
    });
    const lost = (await world.takeUp({
      append: async (batches) => {
        if (!batches.some(startsTool)) return world.store.append(batches);
        lost.lose();
        return batches.map(() => 'fenced' as const);
      },
    }))!;
    await lost.execute();
    expect(await world.types()).not.toContain('TOOL_STARTED');
    expect(await store.find(id, LOCAL)).toMatchObject({ uses: 1 });

    const provider = ScriptedProvider.playing(callTurn([calls[1]!]), answerTurn('Done'));
    await world.run({ provider });
    await expectEnded(world);
    expect(done).toEqual([1]);
    expect(await world.all('TOOL_RESULT')).toMatchObject([
      { id: 'c1', is_error: false },
      { id: 'c2', is_error: true, tool_output: expect.stringContaining('not allowed') },
    ]);
    expect(await store.find(id, LOCAL)).toMatchObject({ uses: 1 });
  });

  async function book(): Promise<RuleBook> {
    const file = await RulesFile.open(undefined);
    const rules = new RuleBook(
      ...([store, file, new CodeRules(), new DeclaredRules()] as const),
      ...([new SystemClock(), new Ids(), openMemoryStores().chats] as const),
      new MemoryAuditStore().trail,
    );
    const denied = { ...ONCE, decision: 'deny', priority: -1, max_uses: null } as const;
    await rules.add(LOCAL_PRINCIPAL, denied);
    return rules;
  }
});

/** Besides what it allows, the tool is denied. */
const ONCE = {
  ...({ scope: 'global', scope_id: null, decision: 'allow', priority: 0 } as const),
  ...{ matcher: { type: 'tool', pattern: 'tool' } as const, max_uses: 1 },
  ...{ description: null, expires_at: null },
};

function judgeBy(rules: RuleBook): RuleJudge {
  const discovery = undefined as unknown as DiscoveryService;
  const [tools, judges] = [new ToolRegistry(discovery), new CodeJudges(discovery)];
  return new RuleJudge(new PermissionsService(rules, tools, new SystemClock(), judges), rules);
}
