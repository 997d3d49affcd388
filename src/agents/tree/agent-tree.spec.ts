import fc from 'fast-check';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { Hidden, RecordBody } from '../../protocol/events.js';
import type { AgentState } from '../../protocol/wire/agent.js';
import type { AgentNode } from './agent-node.js';
import { AgentTree } from './agent-tree.js';
import { readTree } from './read-tree.js';
import { viewAgent } from './agent-view.js';
import type { AgentView } from '../../protocol/wire/agent.js';

const ROOT = { agent_id: 'root', agent: 'react', user_message: 'Do it.', metadata: { of: 'it' } };
const OVER: readonly AgentState[] = ['completed', 'deleted', 'error'];

let seq = 0;
function record(agent_id: string, body: RecordBody, hidden: Hidden | null = null): LogRecord {
  seq++;
  const at = new Date(1_700_000_000_000 + seq).toISOString();
  const origin = { interaction_id: 'int', seq, epoch: 1, agent_id, at, key: null };
  return { ...origin, body, hidden } as LogRecord;
}

const START: RecordBody = {
  ...{ type: 'INTERACTION_STARTED', chat_id: 'chat', user_message: 'Do it.', agent: 'react' },
  ...{ model: 'demo/script', parent_id: null },
};
const call = (id: string): RecordBody => ({
  ...{ type: 'TOOL_CALL', id, block_id: 'b', tool_name: 'bash', tool_input: '{}' },
});
const started = (id: string): RecordBody => ({ type: 'TOOL_STARTED', id, tool_name: 'bash' });
const result = (id: string): RecordBody => ({
  ...{ type: 'TOOL_RESULT', id, tool_name: 'bash', tool_output: '' },
  ...{ is_error: false, duration_ms: 1 },
});
const ANN = { kind: 'user', user_id: 'ann' } as const;
const asked = (id: string): RecordBody => ({
  ...{ type: 'APPROVAL_REQUIRED', approval_id: `approval of ${id}`, tool_call_id: id },
  ...{ tool_name: 'bash', tool_input: '{}', action: '', category: '', risk: '', reason: '' },
  expires_at: null,
});
const approved = (id: string): RecordBody => ({
  ...{ type: 'APPROVED', approval_id: `approval of ${id}`, tool_call_id: id, by: ANN },
});
const question = (request_id: string): RecordBody => ({
  ...{ type: 'INPUT_REQUIRED', request_id, question: '?', expires_at: null },
});
const answered = (request_id: string): RecordBody => ({
  ...{ type: 'INPUT_RECEIVED', request_id, answer: null, by: ANN },
});
const turn = (tokens = 1): RecordBody => ({
  ...{ type: 'TURN_COMPLETED', model: 'm', finish_reason: 'stop', duration_ms: 1 },
  usage: { input_tokens: tokens, output_tokens: 2 * tokens },
});
const forked = (parent_agent_id: string, tool_call_id?: string): RecordBody => ({
  ...{ type: 'AGENT_STARTED', parent_agent_id, agent_type: 'react', prompt: 'Go.' },
  ...(tool_call_id !== undefined && { tool_call_id }),
});
const over = (status: 'completed' | 'error' | 'cancelled'): RecordBody => ({
  ...{ type: 'AGENT_COMPLETED', status, result: status },
});
const told = (user_comment: string): RecordBody => ({
  ...{ type: 'AGENT_INTERVENED', intervention_id: 'i', by: ANN, user_comment },
});
const end = (status: 'COMPLETED' | 'FAILED' | 'CANCELLED'): RecordBody => ({
  ...{ type: 'INTERACTION_COMPLETE', status },
});

function treeOf(records: readonly LogRecord[]): AgentTree {
  const tree = new AgentTree(ROOT);
  for (const each of records) tree.apply(each);
  return tree;
}

function statesOf(
  agentId: string,
  steps: readonly (readonly [string, RecordBody])[],
): AgentState[] {
  const tree = new AgentTree(ROOT);
  return steps.map(([agent, body]) => {
    tree.apply(record(agent, body));
    return tree.find(agentId)!.state;
  });
}

describe(AgentTree.name, () => {
  it('is idle until its turn comes', () => {
    expect(new AgentTree(ROOT).root.state).toBe('idle');
    expect(statesOf('root', [['root', START]])).toEqual(['processing']);
  });

  it('tells what an agent waits for, the person first', () => {
    const steps: [string, RecordBody, AgentState][] = [
      ['root', START, 'processing'],
      ['root', call('a'), 'processing'],
      ['root', call('b'), 'processing'],
      ['root', turn(), 'processing'],
      ['root', started('a'), 'executing_tool'],
      ['root', question('q'), 'awaiting_user'],
      ['root', asked('b'), 'waiting_permission'],
      ['root', approved('b'), 'awaiting_user'],
      ['root', answered('q'), 'executing_tool'],
      ['root', result('a'), 'processing'],
      ['root', started('b'), 'executing_tool'],
      ['root', result('b'), 'processing'],
      ['root', end('COMPLETED'), 'completed'],
    ];
    expect(
      statesOf(
        'root',
        steps.map(([agent, body]) => [agent, body]),
      ),
    ).toEqual(steps.map(([, , state]) => state));
  });

  it('is not over when its end was retried', async () => {
    const bodies: RecordBody[] = [
      START,
      end('FAILED'),
      { type: 'RESUMED', attempt: 1, reason: 'retried' },
    ];
    const records = bodies.map((body) => record('root', body));
    const read = (log: LogRecord[]) =>
      readTree({ readRecords: async () => log }, { id: 'int_1', ...ROOT });
    expect((await read(records)).root.state).toBe('processing');
    const over = [...records, record('root', end('COMPLETED'))];
    expect((await read(over)).root.state).toBe('completed');
  });

  it('waits for the child that its call handed the task to', () => {
    const steps: [string, RecordBody][] = [
      ['root', START],
      ['root', call('a')],
      ['root', started('a')],
      ['child', forked('root', 'a')],
      ['root', call('b')],
      ['root', started('b')],
      ['root', result('b')],
      ['child', over('completed')],
      ['root', result('a')],
    ];
    const states = statesOf('root', steps);
    expect(states.slice(2)).toEqual([
      'executing_tool',
      'waiting_subagent',
      'waiting_subagent',
      'executing_tool',
      'waiting_subagent',
      'executing_tool',
      'processing',
    ]);
  });

  it('is modified until the agent has answered to that', () => {
    const steps: [string, RecordBody][] = [
      ['root', START],
      ['root', told('Faster.')],
      ['root', told('modify')],
      ['root', turn()],
    ];
    expect(statesOf('root', steps)).toEqual(['processing', 'processing', 'modified', 'processing']);
  });

  it('waits for the approval of a call that the agent went on without, once it has nothing else to do', () => {
    const steps: [string, RecordBody][] = [
      ['root', START],
      ['root', call('a')],
      ['root', turn()],
      ['root', asked('a')],
      ['root', result('a')],
      ['root', turn()],
      ['root', { type: 'NOTICE', code: 'deferred_call_settled', message: '' }],
    ];
    expect(statesOf('root', steps).slice(3)).toEqual([
      'waiting_permission',
      'processing',
      'waiting_permission',
      'processing',
    ]);
  });

  it('ends with all that is below', () => {
    const begin = [record('root', START), record('child', forked('root'))];
    const deep = [...begin, record('deep', forked('child')), record('child', over('error'))];
    const tree = treeOf(deep);
    expect(tree.find('child')).toMatchObject({ state: 'error', result: 'error' });
    expect(tree.find('deep')?.state).toBe('deleted');
    expect(tree.root.state).toBe('processing');
    const whole = treeOf([...begin, record('root', end('CANCELLED'))]);
    expect([whole.root.state, whole.find('child')?.state]).toEqual(['deleted', 'deleted']);
    expect(whole.find('child')?.completed_at).toBe(whole.root.completed_at);
  });

  it('counts what each agent used by itself, and knows what it was given', () => {
    const tree = treeOf([
      record('root', START),
      record('root', call('a')),
      record('root', turn(5)),
      record('child', forked('root', 'a'), { settings: {}, metadata: { mine: 1 } }),
      record('child', turn(7)),
      record('child', turn(1)),
      record('heir', forked('child'), { settings: {} }),
    ]);
    const root = viewAgent(tree.root);
    expect(root).toMatchObject({ turns: 1, tool_calls: 1, metadata: { of: 'it' } });
    expect(root.usage).toEqual({ input_tokens: 5, output_tokens: 10 });
    const [child] = root.children;
    expect(child).toMatchObject({ parent_tool_call_id: 'a', turns: 2, metadata: { mine: 1 } });
    expect(child?.usage).toEqual({ input_tokens: 8, output_tokens: 16 });
    expect(child?.children[0]?.metadata).toEqual({ mine: 1 });
  });

  it('is bounded in depth, however deep a log says that agents were', () => {
    const names = ['root', ...Array.from({ length: 500 }, (_, i) => `agent ${i}`)];
    const forks = names.slice(1).map((name, i) => record(name, forked(names[i]!)));
    const tree = treeOf([record('root', START), ...forks]);
    let depth = 0;
    for (let at: AgentView | undefined = viewAgent(tree.root); at; at = at.children[0]) depth++;
    expect(depth).toBe(33);
  });

  it('makes no illegal jump, whatever the log says', () => {
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 60 }), (log) => {
        const tree = new AgentTree(ROOT);
        const before = new Map<string, AgentState>([['root', 'idle']]);
        for (const [agent, body] of log) {
          tree.apply(record(agent, body));
          for (const node of all(tree.root)) {
            const was = before.get(node.id);
            expect(isLegal(was, node.state)).toBe(true);
            expect(findFaults(node)).toEqual([]);
            before.set(node.id, node.state);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** Any live state may follow any other: calls, questions and children come and go in parallel. */
function isLegal(from: AgentState | undefined, to: AgentState): boolean {
  if (from === undefined) return !OVER.includes(to);
  if (OVER.includes(from)) return to === from;
  return to !== 'idle' || from === 'idle';
}

function findFaults(node: AgentNode): string[] {
  const { state, children, completed_at } = node;
  const faults: string[] = [];
  if (OVER.includes(state) && children.some((child) => !child.hasEnded)) faults.push('orphans');
  if (OVER.includes(state) !== (completed_at !== null)) faults.push('an end without a time');
  if (state === 'idle' && children.length > 0) faults.push('idle with children');
  if (state === 'waiting_subagent' && children.every((child) => child.hasEnded))
    faults.push('waits for nobody');
  return faults;
}

function all(node: AgentNode): AgentNode[] {
  return [node, ...node.children.flatMap(all)];
}

const agents = fc.constantFrom('root', 'a', 'b', 'c', 'stranger');
const calls = fc.constantFrom('1', '2');
const bodies: fc.Arbitrary<RecordBody> = fc.oneof(
  fc.constant(START),
  ...[call, started, result, asked, approved, question, answered].map((make) => calls.map(make)),
  fc.constant(turn()),
  fc.tuple(agents, fc.option(calls, { nil: undefined })).map((given) => forked(...given)),
  fc.constantFrom('completed', 'error', 'cancelled').map((status) => over(status)),
  fc.constantFrom('delete', 'modify', 'Hm.').map(told),
  fc.constant<RecordBody>({ type: 'RESUMED', attempt: 1, reason: 'lost' }),
  fc.constant<RecordBody>({ type: 'NOTICE', code: 'c', message: 'm' }),
);
/** Some tests end early; most should not. */
const entries: fc.Arbitrary<[string, RecordBody]> = fc.oneof(
  { weight: 60, arbitrary: fc.tuple(agents, bodies) },
  { weight: 1, arbitrary: fc.tuple(agents, fc.constantFrom(end('COMPLETED'), end('CANCELLED'))) },
  { weight: 4, arbitrary: fc.constant<[string, RecordBody]>(['root', START]) },
);
