import type { Decider, RecordOf } from 'parley/client';

type LineRecord = RecordOf<
  'NOTICE' | 'RESUMED' | 'CANCELLED' | 'ERROR' | 'AGENT_INTERVENED' | 'CUSTOM'
>;

export function lineText(record: LineRecord): string {
  switch (record.type) {
    case 'NOTICE':
      return record.message;
    case 'ERROR':
      return record.message;
    case 'RESUMED':
      return `The server stopped; it goes on from where it was (attempt ${record.attempt}).`;
    case 'CANCELLED':
      return `Cancelled${by(record.by)}.`;
    case 'AGENT_INTERVENED':
      return intervened(record);
    case 'CUSTOM':
      return `${record.name}: ${JSON.stringify(record.data)}`;
  }
}

function by(decider: Decider): string {
  return decider.kind === 'user' && decider.user_id ? ` by ${decider.user_id}` : '';
}

function intervened({ user_comment, user_content, by: who }: RecordOf<'AGENT_INTERVENED'>): string {
  if (user_comment === 'delete') return `Stopped${by(who)}.`;
  if (user_comment === 'modify') return `New task${by(who)}: ${user_content ?? ''}`;
  return `Note${by(who)}: ${user_comment}${user_content ? `\n${user_content}` : ''}`;
}
