import { requestText as text } from '../strings/requests';
import { layOutJson } from '../text/json';
import { visible } from '../text/visible';
import { Mark } from '../ui/status';
import { ActionView, Whole } from './action-view';
import type { CardRequest } from './request';
import { Why } from './why';
import css from './requests.module.css';

/** A request that waited at the record that is shown: nothing is decided in the past. */
export function PastCard({ request }: { request: CardRequest }) {
  const { kind, tool_name = '', tool_input = '', reason = '', question, options = [] } = request;
  return (
    <section className={css['card']} data-testid="past-card">
      <header>
        {question === undefined ? (
          <b>{visible(tool_name)}</b>
        ) : (
          <p className={css['question']}>{visible(question)}</p>
        )}
        <Mark tone="wait">{text.waited[kind]}</Mark>
      </header>
      {kind === 'approval' && (
        <>
          <ActionView request={request} />
          <Why text={reason} />
        </>
      )}
      {kind === 'tool' && <Whole label={text.input}>{layOutJson(tool_input)}</Whole>}
      {options.length > 0 && <p className={css['why']}>{options.map(visible).join(' · ')}</p>}
    </section>
  );
}
