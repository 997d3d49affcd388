// A Parley serves this page at /console/; ?server= names another.
const named = new URLSearchParams(location.search).get('server') ?? '..';
const server = new URL(named, location.href).href.replace(/\/$/, '');
const newId = () => crypto.getRandomValues(new Uint32Array(4)).join('-');
const chat = location.hash.slice(1) || newId();
const $ = (id) => document.getElementById(id);
const el = (tag, props, ...children) => {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...children);
  return element;
};
const button = (text, onclick) => el('button', { type: 'button', onclick }, text);
let editing, key; // of the message in the box: what it replaces, and its Idempotency-Key
let head; // the last interaction of the branch that is shown
// The key or token of this tab, where the server asks for one.
const credential = sessionStorage.getItem(server);
async function api(path, { headers, ...init }) {
  const signed = credential ? { Authorization: `Bearer ${credential}` } : {};
  const reply = await fetch(server + path, { ...init, headers: { ...headers, ...signed } });
  const problem = reply.ok ? '' : (await reply.json()).detail;
  $('problem').textContent = problem;
  if (reply.status === 401) $('sign-in').hidden = !($('composer').hidden = true);
  if (!reply.ok) throw new Error(problem);
  return reply;
}
function post(path, body, more) {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json', ...more };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return api(`/chats/${chat}/interactions${path}`, init);
}
onunhandledrejection = ({ reason }) => ($('problem').textContent = reason.message);
// Opens the stream again after its last event when the connection is lost or the server stops.
async function follow(path, show, after = '0') {
  const opened = api(`${path}?named=0`, { headers: { 'Last-Event-ID': after } });
  const reply = await opened.catch(() => undefined);
  for await (const { id, data } of eventsOf(reply)) show(JSON.parse(data), (after = id));
  if ($('sign-in').hidden) setTimeout(follow, 1000, path, show, after);
}
async function* eventsOf(reply) {
  const reader = reply?.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ;) {
    const part = await reader?.read().catch(() => undefined);
    if (!part || part.done) return;
    const events = (text + part.value).split('\n\n');
    text = events.pop();
    for (const event of events) {
      const fields = event.split('\n').map((line) => line.split(/: (.*)/s));
      if (event.includes('data: ')) yield Object.fromEntries(fields);
    }
  }
}
const chatLink = ({ id, status, title }) =>
  el('a', { id: `chat ${id}`, href: `#${id}`, className: status }, title ?? 'New chat');
function showFeed(e) {
  if (e.type === 'FEED_STATE') $('chats').replaceChildren(...e.chats.map(chatLink));
  if (e.type === 'CHAT_UPDATED') $(`chat ${e.chat_id}`)?.remove();
  if (e.chat) $('chats').prepend(chatLink(e.chat));
  if (e.deleted && e.chat_id === chat) location.hash = '';
}
const taskItem = ({ id, status, title }) => el('li', { id, className: status }, title);
function show(e) {
  if (e.type === 'CHAT_STATE') $('tasks').replaceChildren(...e.tasks.map(taskItem));
  if (e.task && !$(e.task.id)) $('tasks').append(el('li', { id: e.task.id }));
  if (e.task) $(e.task.id).replaceWith(e.deleted ? '' : taskItem(e.task));
  head = e.chat?.head_interaction_id ?? head;
  if (e.type === 'INTERACTION_STARTED') addTurn(e);
  if (e.chat && $(head)) showBranch($(head));
  if (e.type === 'AGENT_STARTED') addAgent(e, e.agent_type, `work ${e.parent_agent_id}`, e.prompt);
  const turn = $(e.interaction_id);
  if (e.seq) turn.className = e.type === 'INTERACTION_COMPLETE' ? e.status : 'RUNNING';
  if (e.state ?? e.status) $(e.agent_id)?.setAttribute('data-state', e.state ?? e.status);
  const text = e.delta ?? e.content ?? e.tool_output ?? e.message;
  if (text !== undefined) addText(e, text);
  if (e.type === 'TOOL_CALL') addText(e, `${e.tool_name} ${e.tool_input}`);
  if (e.type === 'RESUMED') turn.querySelectorAll('[class$=_delta]').forEach((it) => it.remove());
  for (const id of [e.replaces ?? [], e.void ?? []].flat()) $(`${turn.id} ${id}`)?.remove();
  if (e.type === 'APPROVAL_REQUIRED' || e.type === 'INPUT_REQUIRED') addCard(e);
  if (e.type === 'APPROVED' || e.type === 'REJECTED' || e.type === 'INPUT_RECEIVED')
    $(e.approval_id ?? e.request_id).replaceChildren(e.answer ?? e.type.toLowerCase());
  if (e.code === 'log_went_back') location.reload();
}
function addTurn(e) {
  const id = e.interaction_id;
  const edit = button('Edit', () => ([editing, $('message').value] = [id, e.user_message]));
  const cancel = button('Cancel', () => post(`/${id}/cancel`));
  const turn = el('section', { id }, el('p', {}, e.user_message), edit, cancel);
  turn.dataset.parent = e.parent_id;
  $('turns').append(turn);
  addAgent(e, e.agent, id, '');
  showBranch($(head) ?? turn);
}
function showBranch(last) {
  const turns = [...$('turns').children]; // each has its root agent at the same place
  turns.forEach((it, i) => (it.hidden = $('agents').children[i].hidden = it !== last));
  for (let it = last; it; it = $(it.dataset.parent)) it.hidden = false;
}
function addAgent({ agent_id: id, parent_agent_id }, name, place, prompt) {
  $(place).append(el('details', { id: `work ${id}`, open: true }, el('summary', {}, prompt)));
  ($(parent_agent_id) ?? $('agents')).append(el('div', { id }, el('b', {}, name)));
}
function addText(e, text) {
  const id = `${e.interaction_id} ${e.block_id ?? e.seq}`;
  const block = $(id) ?? $(`work ${e.agent_id}`).appendChild(el('pre', { id }));
  block.className = e.type.toLowerCase();
  block.textContent = block.textContent.slice(0, e.offset ?? 0) + text;
}
function addCard(e) {
  const id = e.approval_id ?? e.request_id;
  const input = el('textarea', { value: e.tool_input ?? '' });
  const answer = (it) => post(`/${e.interaction_id}/respond`, { request_id: id, answer: it });
  const decide = async (approved) => {
    const changed = approved && input.value !== e.tool_input;
    const modified_input = changed ? JSON.parse(input.value) : undefined;
    await post(`/${e.interaction_id}/approve`, { approval_id: id, approved, modified_input });
  };
  const buttons = (e.options ?? []).map((it) => button(it, () => answer(it)));
  if (e.request_id) buttons.push(button('Answer', () => answer(input.value)));
  for (const it of e.approval_id ? ['Approve', 'Reject'] : [])
    buttons.push(button(it, () => decide(it === 'Approve')));
  const card = { id, className: 'card' };
  $(`work ${e.agent_id}`).append(el('div', card, e.action ?? e.question, input, ...buttons));
}
$('composer').onsubmit = async (submit) => {
  submit.preventDefault();
  const [path, field] = editing ? [`/${editing}/edit`, 'new_user_message'] : ['', 'user_message'];
  const once = { 'Idempotency-Key': (key ??= newId()) };
  await post(path, { [field]: $('message').value }, once);
  [editing, key, $('message').value, location.hash] = [undefined, undefined, '', chat];
};
$('message').oninput = () => (key = undefined);
$('sign-in').onsubmit = (submit) => {
  submit.preventDefault();
  sessionStorage.setItem(server, $('credential').value);
  location.reload();
};
onhashchange = () => location.reload();
follow('/events', showFeed);
if (location.hash) follow(`/chats/${chat}/events`, show);
