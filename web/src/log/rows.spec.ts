import { describe, expect, it } from '@jest/globals';
import type { RecordEvent } from 'parley/client';
import { logRows, stepFrom, typesIn } from './rows';
import type { LogFilter, LogPart } from './rows';

const ALL: LogFilter = { text: '', type: null, order: 'oldest' };

function part(id: string, ...types: readonly string[]): LogPart {
  const records = types.map(
    (type, index) => ({ interaction_id: id, seq: index + 1, type }) as RecordEvent,
  );
  return { id, message: `Message ${id}`, records };
}

const PARTS = [part('int_1', 'THINKING', 'ANSWER'), part('int_2', 'TOOL_CALL', 'ANSWER')];

function seqs(filter: LogFilter): readonly string[] {
  return logRows(PARTS, filter).map((row) =>
    row.kind === 'turn' ? row.id : `${row.record.interaction_id}/${row.record.seq}`,
  );
}

describe(logRows.name, () => {
  it('lists turns with their records, the newest turn first if wanted', () => {
    const [first, second] = [
      ['int_1', 'int_1/1', 'int_1/2'],
      ['int_2', 'int_2/1', 'int_2/2'],
    ];
    expect(seqs(ALL)).toEqual([...first, ...second]);
    expect(seqs({ ...ALL, order: 'newest' })).toEqual([...second, ...first]);
  });

  it('filters by type and text, and leaves out turns without a record', () => {
    expect(seqs({ ...ALL, type: 'TOOL_CALL' })).toEqual(['int_2', 'int_2/1']);
    expect(seqs({ ...ALL, text: ' think ' })).toEqual(['int_1', 'int_1/1']);
    expect(seqs({ ...ALL, text: 'nothing' })).toEqual([]);
    expect(logRows(PARTS, { ...ALL, type: 'ANSWER' })[0]).toMatchObject({ listed: 1, all: 2 });
  });
});

describe(stepFrom.name, () => {
  it('steps over headings and stays at the ends', () => {
    const rows = logRows(PARTS, ALL);
    expect(stepFrom(rows, 2, 1)).toBe(4);
    expect(stepFrom(rows, 4, -1)).toBe(2);
    expect(stepFrom(rows, 1, -1)).toBe(1);
    expect(stepFrom(rows, 5, 1)).toBe(5);
  });
});

describe(typesIn.name, () => {
  it('names each type once', () => {
    expect(typesIn(PARTS)).toEqual(['ANSWER', 'THINKING', 'TOOL_CALL']);
  });
});
