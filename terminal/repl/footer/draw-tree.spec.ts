import type { AgentNode } from '../../../client/index.js';
import { textOf } from '../../render/span.js';
import { drawTree, drawWorking } from './draw-tree.js';

function node(id: string, parent: string | null, more: Partial<AgentNode> = {}): AgentNode {
  return {
    ...{ id, type: id, parent_agent_id: parent, prompt: `Do ${id}`, tool_call_id: null },
    ...{ status: 'running', result: null, now: null, ...more },
  };
}

const NODES = [
  node('root', null),
  node('one', 'root', { status: 'completed' }),
  node('two', 'root', { now: { state: 'executing_tool', tool_name: 'grep' } as AgentNode['now'] }),
  node('three', 'two', { prompt: 'Read\n\u001B[2Jall' }),
];

describe(drawTree.name, () => {
  it('shows each agent under the one that has started it, with what it does', () => {
    expect(drawTree(NODES, 60).map(textOf)).toEqual([
      '  root running Do root',
      '    one completed Do one',
      '    two executing tool grep Do two',
      '      three running Read all',
    ]);
  });

  it.each([1, 8, 12, 30])('fits %i columns', (width) => {
    for (const line of drawTree(NODES, width))
      expect(textOf(line).length).toBeLessThanOrEqual(width);
  });
});

describe(drawWorking.name, () => {
  const draw = (rows: number): string[] => drawWorking(NODES, { rows, width: 60 }).map(textOf);

  it('shows those that work', () => {
    expect(draw(3)).toEqual([
      '  root running Do root',
      '    two executing tool grep Do two',
      '      three running Read all',
    ]);
  });

  it('counts those that have no row', () => {
    expect(draw(2)).toEqual(['  2 more agents', '      three running Read all']);
    expect(draw(1)).toEqual(['  3 more agents']);
  });
});
