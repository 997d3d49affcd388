/**
 * Follows an answer to its end in any environment, tells when it has begun, and then what the
 * reader has got beside what the server has.
 */
export async function probe({ createClient, fold }, { url, chat, report }) {
  const client = createClient({ url });
  const stream = client.start(chat, { user_message: 'write 200 words' });
  const seqs = [];
  let state;
  let count = 0;
  for await (const event of stream) {
    state = fold(state, event);
    if (event.seq !== undefined) seqs.push(event.seq);
    if (++count === 40) await report({ kind: 'begun' });
  }
  let whole;
  for await (const event of client.follow(chat, stream.interaction_id)) whole = fold(whole, event);
  await report({ kind: 'done', seqs, state, whole });
}
