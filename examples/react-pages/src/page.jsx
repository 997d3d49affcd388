import { createRoot } from 'react-dom/client';

const { searchParams } = new URL(location.href);

/** `?server=` names the server, `?key=` an API key, `#` the chat. */
export const SERVER = searchParams.get('server') ?? 'http://127.0.0.1:3000';
export const KEY = searchParams.get('key') ?? undefined;
export const CHAT = (location.hash ||= `#chat-${crypto.randomUUID()}`).slice(1);

export function show(page) {
  createRoot(document.querySelector('#root')).render(page);
}

/** A call that waits for a decision. */
export function Approval({ name, input, decide }) {
  return (
    <p className="approval">
      {name} {JSON.stringify(input)} <button onClick={() => decide(true)}>Approve</button>
      <button onClick={() => decide(false)}>Reject</button>
    </p>
  );
}

/** A field for the next message; while an answer is written, a button that stops it. */
export function Composer({ isBusy, send, stop }) {
  const submit = (event) => {
    event.preventDefault();
    send(new FormData(event.target).get('message'));
    event.target.reset();
  };
  return (
    <form onSubmit={submit}>
      <input name="message" required placeholder="what is 6*7" aria-label="Message" />
      <button disabled={isBusy}>Send</button>
      {isBusy && (
        <button type="button" onClick={() => stop()}>
          Stop
        </button>
      )}
    </form>
  );
}
