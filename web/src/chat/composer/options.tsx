import { SlidersHorizontal } from 'lucide-react';
import type { Chat } from 'parley/client';
import { useEffect, useState } from 'react';
import { client } from '../../session/client';
import { composerText as text } from '../../strings/chat';
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../../ui/menu';
import { useStore } from '../../ui/store';
import { Fault } from '../../ui/fault';
import { visible } from '../../text/visible';
import { useShownChatOrNone } from '../use-chat';
import { newChatOptions } from './chosen-options';
import type { ChatOptions } from './chosen-options';
import { MoreOptions } from './more-options';
import css from './composer.module.css';

type AgentTypes = Awaited<ReturnType<typeof client.agents.types>>['items'];

/** Value of a choice that is left to the chat or the server. */
const DEFAULT = '';
const MODES = ['ask', 'auto', 'deny', 'defer'] as const;

/** Agent, approvals, model, folder and budget of what is sent from now on. */
export function Options({
  chatId,
  settings,
}: {
  chatId: string | null;
  settings: Chat['settings'];
}) {
  const chat = useShownChatOrNone();
  const chosen = useStore(newChatOptions);
  const [agents, setAgents] = useState<AgentTypes>([]);
  const [error, setError] = useState<unknown>();
  const [hasMore, setHasMore] = useState(false);
  const current: ChatOptions = chatId === null ? chosen : settings;
  useEffect(() => {
    client.agents.types().then(({ items }) => setAgents(items), setError);
  }, []);
  const change = async (values: Record<string, unknown>): Promise<void> => {
    if (chatId === null) return newChatOptions.set(withoutEmpty({ ...chosen, ...values }));
    await client.chats.update(chatId, { settings: nullForEmpty(values) });
    await chat?.refresh();
  };
  const choose = (values: Record<string, unknown>): void => {
    change(values).then(() => setError(undefined), setError);
  };
  const byDefault = { value: DEFAULT, name: text.serverDefault };
  const mode = current.approval_mode;
  return (
    <>
      <Menu
        trigger={
          <button type="button" className={css['options']} aria-label={text.options}>
            <SlidersHorizontal size={14} aria-hidden />
            <span>{current.agent ?? text.agent}</span>
            {current.model !== undefined && <span>· {visible(current.model)}</span>}
            {mode !== undefined && <span>· {text.modes[mode][0]}</span>}
          </button>
        }
      >
        <MenuChoice
          label={text.agent}
          value={current.agent ?? DEFAULT}
          onChange={(agent) => choose({ agent })}
          options={[
            byDefault,
            ...agents.map(({ name, description }) => ({ value: name, name, hint: description })),
          ]}
        />
        <MenuSeparator />
        <MenuChoice<string>
          label={text.approvals}
          value={mode ?? DEFAULT}
          onChange={(approval_mode) => choose({ approval_mode })}
          options={[
            byDefault,
            ...MODES.map((value) => ({
              value,
              name: text.modes[value][0],
              hint: text.modes[value][1],
            })),
          ]}
        />
        <MenuSeparator />
        <MenuItem onSelect={() => setHasMore(true)}>{text.more}…</MenuItem>
      </Menu>
      {hasMore && (
        <MoreOptions current={current} onSave={change} onClose={() => setHasMore(false)} />
      )}
      {error !== undefined && <Fault error={error} />}
    </>
  );
}

function withoutEmpty(values: Record<string, unknown>): ChatOptions {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== DEFAULT));
}

function nullForEmpty(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === DEFAULT ? null : value]),
  );
}
