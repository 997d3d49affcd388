import type { Task } from '../../../client/index.js';
import { titleOf } from '../../chat/chat-settings.js';
import { drawDefinitions } from '../../render/definitions.js';
import { sanitize, sanitizeLine } from '../../render/sanitize.js';
import { span, wrap } from '../../render/span.js';
import type { Line } from '../../render/span.js';
import { SGR } from '../../render/theme.js';
import { cutTo, padTo } from '../../render/width.js';
import { draftOf } from '../../screen/editor.js';
import type { Desk } from '../desk.js';
import { drawTree } from '../footer/draw-tree.js';
import { editLast } from './edit-last.js';

interface SlashCommand {
  readonly usage: string;
  readonly about: string;
  run(desk: Desk, argument: string): void | Promise<void>;
}

const KEYS = [
  ['Enter', 'sends; while it works, steers it'],
  ['Ctrl-X Enter', 'queues the message'],
  ['Esc, Ctrl-C', 'cancels the answer; Ctrl-C twice leaves'],
  ['Esc Esc', 'edits the last message'],
  ['Ctrl-B', 'lets it go on in the background'],
  ['Ctrl-G', 'opens $EDITOR; Ctrl-J or \\ Enter starts a line'],
  ['@path#10-20', 'attaches a file, or lines of it'],
  ['!command', "runs a command by the agent's bash, under its rules"],
] as const;

export const SLASH_COMMANDS: Readonly<Record<string, SlashCommand>> = {
  help: { usage: '', about: 'this list', run: help },
  edit: {
    usage: '[TEXT]',
    about: 'edit the last message, and go on from there',
    run: (desk, text) => editLast(desk, text || undefined),
  },
  cancel: { usage: '', about: 'cancel the answer', run: (desk) => desk.session.cancel() },
  queue: {
    usage: '[edit N | drop N | move N M]',
    about: 'messages that wait',
    run: queue,
  },
  chats: { usage: '[CHAT | SEARCH]', about: 'list chats, or go to one', run: chats },
  new: { usage: '', about: 'start another chat', run: (desk) => desk.startNew() },
  agents: { usage: '', about: 'the kinds of agents', run: agents },
  agent: { usage: 'NAME', about: 'the agent of the next messages', run: agent },
  model: { usage: '[NAME]', about: 'list models, or the one of the next messages', run: model },
  tasks: { usage: '', about: 'the task board', run: tasks },
  tree: { usage: '', about: 'the agents at work, live; again hides them', run: tree },
  output: { usage: '[N]', about: 'the whole output of a tool', run: output },
  forget: { usage: '', about: 'take back the rule that was remembered last', run: forget },
  quit: { usage: '', about: 'leave', run: (desk) => desk.quit() },
};

export interface TypedCommand {
  readonly name: string;
  readonly argument: string;
}

/** The command that a line is, known or not; a path such as `/etc/hosts` is none. */
export function commandIn(text: string): TypedCommand | undefined {
  const [, name, argument = ''] = /^ ?\/([a-z]+)(?:\s([^]*))?$/.exec(text) ?? [];
  return name === undefined ? undefined : { name, argument: argument.trim() };
}

function help(desk: Desk): void {
  const commands = Object.entries(SLASH_COMMANDS).map(([name, { usage, about }]) => ({
    name: `/${name} ${usage}`.trimEnd(),
    text: about,
  }));
  const keys = KEYS.map(([name, text]) => ({ name, text }));
  const entries = [...commands, { name: '', text: '' }, ...keys];
  desk.print(drawDefinitions(entries, { width: desk.view.width, sgr: SGR.cyan }));
}

async function queue(desk: Desk, argument: string): Promise<void> {
  const { id } = desk.session;
  const { items } = await desk.client.interactions.queue(id);
  const [verb = '', number = '', place = ''] = argument.split(/\s+/);
  const item = items[Number(number) - 1];
  if (verb === '') {
    if (items.length === 0) desk.say('Nothing waits.');
    desk.print(items.map((it, index) => row(desk, `${index + 1}`, it.user_message)));
  } else if (!item) desk.say(`There is no message ${number} in the queue.`, SGR.yellow);
  else if (verb === 'drop') await desk.session.cancel(item.id);
  else if (verb === 'move' && Number(place) >= 1) {
    const others = items.filter((it) => it !== item);
    const before = others[Number(place) - 1]?.id ?? null;
    await desk.client.interactions.change(id, item.id, { before });
  } else if (verb === 'edit')
    desk.setMode({ kind: 'queued', interaction_id: item.id }, draftOf(sanitize(item.user_message)));
  else
    desk.say(
      '/queue, or /queue edit|drop and the number of a message, or /queue move and its number and place.',
      SGR.yellow,
    );
}

function row(desk: Desk, name: string, text: string, sgr = ''): Line {
  const lead = `  ${padTo(name, 3)} `;
  return [
    span(lead, SGR.cyan),
    span(cutTo(sanitizeLine(text.slice(0, 400)), desk.view.width - lead.length), sgr),
  ];
}

async function chats(desk: Desk, argument: string): Promise<void> {
  const { items } = await desk.client.chats.list({
    limit: 15,
    ...(argument !== '' && { q: argument }),
  });
  const known = items.find(({ id }) => id === argument) ?? (await chatNamed(desk, argument));
  if (known) {
    desk.background.remove(known.id);
    await desk.switchTo(known.id);
    return;
  }
  if (items.length === 0) desk.say('There is no such chat.');
  desk.print(
    items.map((it) => {
      const mark = it.id === desk.session.id ? '*' : '';
      return row(
        desk,
        mark,
        `${it.id}  ${titleOf(it)}${it.status ? `  (${it.status.toLowerCase()})` : ''}`,
      );
    }),
  );
}

async function chatNamed(desk: Desk, id: string): Promise<{ id: string } | undefined> {
  if (!/^[\w-]{1,64}$/.test(id)) return undefined;
  return desk.client.chats.get(id, { limit: 1 }).catch(() => undefined);
}

async function agents(desk: Desk): Promise<void> {
  const { items } = await desk.client.agents.types();
  const entries = items.map(({ name, description }) => ({
    name: sanitizeLine(name),
    text: sanitizeLine(description),
  }));
  desk.print(drawDefinitions(entries, { width: desk.view.width, sgr: SGR.agent }));
}

async function agent(desk: Desk, name: string): Promise<void> {
  const { items } = await desk.client.agents.types();
  if (!items.some((it) => it.name === name)) {
    const names = items.map((it) => it.name).join(', ');
    desk.say(`/agent and one of: ${names}`, SGR.yellow);
    return;
  }
  desk.session.agent = name;
  desk.say(`The next message goes to ${name}.`);
}

async function model(desk: Desk, name: string): Promise<void> {
  const { session } = desk;
  if (name !== '') {
    session.model = name;
    return desk.say(`The next message goes to ${name}.`);
  }
  const { items, providers } = await desk.client.models.list();
  const usual = items.find((it) => it.is_default)?.model;
  const entries = items.map(({ model: known, is_default, agents: users }) => {
    const role = known === usual ? ['default'] : is_default ? ['fallback'] : [];
    return { name: sanitizeLine(known), text: sanitizeLine([...role, ...users].join(', ')) };
  });
  desk.print(drawDefinitions(entries, { width: desk.view.width, sgr: SGR.cyan }));
  const current = session.model ?? session.head?.started?.model ?? usual ?? 'not known';
  desk.say(
    `The model is ${sanitizeLine(current)}. /model NAME takes another, listed or not: <provider>/<name> of ${sanitizeLine(providers.join(', '))}.`,
  );
}

async function tasks(desk: Desk): Promise<void> {
  const board: readonly Task[] = desk.session.state?.tasks ?? [];
  if (board.length === 0) desk.say('The task board is empty.');
  const boxes = { pending: '[ ]', in_progress: '[~]', completed: '[x]' };
  desk.print(board.map((task) => row(desk, boxes[task.status], task.title)));
}

/** The whole tree once; the agents at work also in the footer, until it is called again. */
function tree(desk: Desk): void {
  const nodes = desk.session.head?.agents ?? [];
  if (nodes.length === 0) desk.say('No agent has worked here yet.');
  desk.showsTree = !desk.showsTree;
  if (desk.showsTree) desk.print(drawTree(nodes, desk.view.width));
  desk.setHint(desk.showsTree ? 'The agents at work stay in view; /tree again hides them' : '');
}

function output(desk: Desk, argument: string): void {
  const { results } = desk.session.transcript;
  const found =
    argument === '' ? results.at(-1) : results.find((it) => it.number === Number(argument));
  if (!found) return desk.say('There is no such output.');
  const { tool_name, tool_output } = found.record;
  const lines = sanitize(tool_output).trimEnd().split('\n');
  desk.print([
    [span(`${sanitizeLine(tool_name)}, output ${found.number}`, SGR.tool)],
    ...lines.flatMap((line) => wrap([span(line)], desk.view.width)),
  ]);
}

async function forget(desk: Desk): Promise<void> {
  if (desk.lastRule === undefined) return desk.say('No rule was remembered here.');
  await desk.client.permissions.remove(desk.lastRule);
  desk.lastRule = undefined;
  desk.say('The rule is gone.');
}
