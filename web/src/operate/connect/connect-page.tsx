import { useState } from 'react';
import { CodeBlock } from '../../markdown/code-block';
import { connectText as text } from '../../strings/operate';
import { ENTRIES } from './entries';
import { servedFacades, serverOfPage } from './server';
import css from '../operate.module.css';

/** How programs of others are pointed at this server. */
export function ConnectPage() {
  const [server] = useState(serverOfPage);
  const [served] = useState(servedFacades);
  const entries = ENTRIES.filter(({ facade }) => facade === undefined || served.has(facade));
  return (
    <>
      <p className={css['note']}>{server.key === 'none' ? text.noKey : text.needsKey}</p>
      {entries.map(({ name, hint, language, code }) => (
        <section key={name}>
          <h2>{name}</h2>
          <p className={css['note']}>{hint}</p>
          <CodeBlock code={code(server)} language={language} />
        </section>
      ))}
    </>
  );
}
