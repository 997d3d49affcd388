import { useState } from 'react';
import type { FormEvent } from 'react';
import { MatcherView } from '../../requests/matcher-view';
import { client } from '../../session/client';
import { ruleText as text } from '../../strings/rules';
import { parseObject } from '../../text/json';
import { visible } from '../../text/visible';
import { Button } from '../../ui/button';
import { Fault } from '../../ui/fault';
import ui from '../../ui/ui.module.css';
import { NOTHING, Table } from '../table';
import type { Column } from '../table';
import { useLoaded } from '../use-loaded';
import { VerdictMark } from '../verdict-mark';
import css from '../operate.module.css';

type Verdict = Awaited<ReturnType<typeof client.permissions.check>>;
type Step = Verdict['trace'][number];

/** Asks what the rules say about a call, and why, without running it. */
export function DryRun() {
  const tools = useLoaded((signal) => client.tools.list({ signal }));
  const [input, setInput] = useState('{"command": "git log"}');
  const [verdict, setVerdict] = useState<Verdict>();
  const [error, setError] = useState<unknown>();
  const isObject = parseObject(input) !== undefined;
  const check = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const field = (name: string): string => {
      const value = form.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const [chat_id, agent] = [field('chat_id'), field('agent')];
    try {
      const checked = await client.permissions.check({
        tool_name: field('tool_name'),
        tool_input: { ...parseObject(input) },
        ...(chat_id !== '' && { chat_id }),
        ...(agent !== '' && { agent }),
      });
      setVerdict(checked);
      setError(undefined);
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <section>
      <h2>{text.dryRun}</h2>
      <form
        className={css['form']}
        data-testid="dry-run"
        data-wide
        onSubmit={(event) => void check(event)}
      >
        <label>
          <span>{text.tool}</span>
          <input
            className={ui['field']}
            name="tool_name"
            list="tool-names"
            defaultValue="bash"
            required
            spellCheck={false}
          />
          <datalist id="tool-names">
            {tools.value?.items.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </datalist>
        </label>
        <label>
          <span>{text.chat}</span>
          <input className={ui['field']} name="chat_id" placeholder={text.anyChat} />
        </label>
        <label>
          <span>{text.agent}</span>
          <input className={ui['field']} name="agent" placeholder={text.anyAgent} />
        </label>
        <label data-whole>
          <span>{text.input}</span>
          <textarea
            className={css['json']}
            spellCheck={false}
            aria-invalid={!isObject}
            value={input}
            onChange={({ target }) => setInput(target.value)}
          />
        </label>
        <div data-whole>
          <Button type="submit" disabled={!isObject}>
            {text.check}
          </Button>
        </div>
      </form>
      {error !== undefined && <Fault error={error} />}
      {verdict && <VerdictView verdict={verdict} />}
    </section>
  );
}

const COLUMNS: readonly Column<Step>[] = [
  { name: text.level, cell: ({ level, rule }) => <span title={rule}>{visible(level)}</span> },
  { name: text.command, cell: ({ command }) => <code>{visible(command ?? NOTHING)}</code> },
  { name: text.matched, cell: ({ matched }) => text.matches(matched) },
  { name: text.decision, cell: ({ decision }) => <VerdictMark decision={decision} /> },
  { name: text.why, cell: ({ why }) => visible(why) },
];

function VerdictView({ verdict: { decision, reason, rule, trace } }: { verdict: Verdict }) {
  return (
    <div className={css['verdict']} data-testid="verdict" aria-live="polite">
      <p>
        <VerdictMark decision={decision} /> {visible(reason)}
      </p>
      {rule && <MatcherView matcher={rule.matcher} />}
      {trace.length > 0 && (
        <details open>
          <summary>{text.trace(trace.length)}</summary>
          <Table
            label={text.trace(trace.length)}
            columns={COLUMNS}
            rows={trace}
            keyOf={(step) => String(trace.indexOf(step))}
            empty=""
          />
        </details>
      )}
    </div>
  );
}
