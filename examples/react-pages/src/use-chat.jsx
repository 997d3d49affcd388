import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, isToolUIPart, getToolName } from 'ai';
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { Approval, CHAT, Composer, KEY, SERVER, show } from './page.jsx';

function Page() {
  const chat = useChat({
    id: CHAT,
    resume: true,
    transport: new DefaultChatTransport({
      api: `${SERVER}/ai-sdk/chat?v=7`,
      ...(KEY && { headers: { authorization: `Bearer ${KEY}` } }),
    }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const decide = (id) => (approved) => chat.addToolApprovalResponse({ id, approved });
  return (
    <main data-status={chat.status}>
      {chat.messages.map(({ id, role, parts }) => (
        <section key={id} className={role}>
          {parts.map((part, at) => (
            <Part key={at} part={part} decide={decide(part.approval?.id)} />
          ))}
        </section>
      ))}
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <Composer
        isBusy={chat.status !== 'ready' && chat.status !== 'error'}
        send={(text) => chat.sendMessage({ text })}
        stop={chat.stop}
      />
    </main>
  );
}

function Part({ part, decide }) {
  if (part.type === 'text') return <p className="text">{part.text}</p>;
  if (part.type === 'reasoning') return <p className="reasoning">{part.text}</p>;
  if (!isToolUIPart(part)) return null;
  const call = { name: getToolName(part), input: part.input };
  if (part.state === 'approval-requested') return <Approval {...call} decide={decide} />;
  return (
    <p className="call">
      {call.name} {part.state}: {String(part.output ?? part.errorText ?? '')}
    </p>
  );
}

show(<Page />);
