import { useStream } from '@langchain/react';
import { Approval, CHAT, Composer, KEY, SERVER, show } from './page.jsx';

function Page() {
  const stream = useStream({
    apiUrl: `${SERVER}/langgraph`,
    apiKey: KEY,
    assistantId: 'react',
    threadId: CHAT,
  });
  const actions = stream.interrupt?.value.actionRequests ?? [];
  const decide = (approved) => {
    const decision = approved ? { type: 'approve' } : { type: 'reject' };
    const decisions = actions.map(() => decision);
    void stream.respond({ decisions }, { interruptId: stream.interrupt.id });
  };
  return (
    <main data-status={stream.isLoading ? 'streaming' : 'ready'}>
      {stream.messages.map((message) => (
        <section key={message.id} className={message.type}>
          <p className={message.type === 'tool' ? 'call' : 'text'}>{message.text}</p>
        </section>
      ))}
      {actions.map(({ name, args }, at) => (
        <Approval key={at} name={name} input={args} decide={decide} />
      ))}
      {stream.error && <p role="alert">{String(stream.error)}</p>}
      <Composer
        isBusy={stream.isLoading}
        send={(content) => stream.submit({ messages: [{ type: 'human', content }] })}
        stop={stream.stop}
      />
    </main>
  );
}

show(<Page />);
