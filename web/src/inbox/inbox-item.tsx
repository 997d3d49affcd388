import { Link } from 'wouter';
import { ApprovalCard } from '../requests/approval-card';
import { ClientToolCard } from '../requests/client-tool-card';
import { QuestionCard } from '../requests/question-card';
import type { CardRequest } from '../requests/request';
import { Settled } from '../requests/settled';
import { inboxText as text } from '../strings/inbox';
import { visible } from '../text/visible';
import css from './inbox.module.css';

/** A request as its card; once it is settled, one line that says by whom. */
export function InboxItem({ request }: { request: CardRequest }) {
  const { status, chat_id, interaction_id, tool_name, question } = request;
  if (status !== 'pending')
    return (
      <div className={css['settled']} data-testid="inbox-settled">
        <b>{visible(tool_name ?? question ?? '')}</b>
        <Settled request={request} />
      </div>
    );
  return (
    <div className={css['item']}>
      <CardOf request={request} />
      <Link className={css['place']} href={`/chats/${chat_id}#${interaction_id}`}>
        {text.place}
      </Link>
    </div>
  );
}

function CardOf({ request }: { request: CardRequest }) {
  switch (request.kind) {
    case 'approval':
      return <ApprovalCard request={request} />;
    case 'input':
      return <QuestionCard request={request} />;
    case 'tool':
      return <ClientToolCard request={request} />;
  }
}
