import { match } from 'node:assert/strict';
import { test } from 'node:test';
import { permissionJudgeChecks } from 'parley/testing/permission-judge';
import { OfficeHoursJudge } from './office-hours.judge.js';
import { say, startServer } from './server.js';

for (const { name, run } of permissionJudgeChecks({
  make: () => new OfficeHoursJudge(),
  calls: [
    {
      ...{ tenant_id: 'default', user_id: 'ann', tool_name: 'bash' },
      tool_input: { command: 'shutdown now' },
      policy: { category: 'execute', read_only: false, risk: 'high', recovery: 'report' },
    },
  ],
}))
  test(name, run);

test('denies what nobody may do, whatever the rules say', { timeout: 120_000 }, async (t) => {
  const { url } = await startServer(t);
  const user_message = 'call bash {"command":"shutdown now"}';
  const events = await say(url, { user_message, approval_mode: 'auto' });
  match(events, /"type":"TOOL_RESULT".*Nobody shuts this machine down\./);
});
