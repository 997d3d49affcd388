import { Link } from 'wouter';
import { SidebarButton } from '../chat/chat-header';
import { operateText as text } from '../strings/operate';
import { usePageTitle } from '../ui/page-title';
import { AgentsPage } from './agents-page';
import { AuditPage } from './audit-page';
import { ConnectPage } from './connect/connect-page';
import { HealthPage } from './health-page';
import { KeysPage } from './keys/keys-page';
import { ModelsPage } from './models-page';
import { OPERATE_PAGES } from './pages';
import type { OperatePageName } from './pages';
import { RulesPage } from './rules/rules-page';
import { RunsPage } from './runs-page';
import { ToolsPage } from './tools-page';
import { UsagePage } from './usage-page';
import css from './operate.module.css';

/** The pages for those who run the server. */
export function OperatePage({ page }: { page: string }) {
  const name = OPERATE_PAGES.find((each) => each === page) ?? 'rules';
  usePageTitle(`${text.pages[name]} · ${text.title}`);
  return (
    <div className={css['page']} data-testid="operate">
      <header className={css['header']}>
        <SidebarButton />
        <h1>{text.title}</h1>
      </header>
      <nav className={css['tabs']} aria-label={text.title}>
        {OPERATE_PAGES.map((each) => (
          <Link
            key={each}
            href={`/operate/${each}`}
            aria-current={each === name ? 'page' : undefined}
          >
            {text.pages[each]}
          </Link>
        ))}
      </nav>
      <div className={css['scroller']} key={name}>
        <div className={css['content']}>
          <p className={css['hint']}>{text.hints[name]}</p>
          <Page name={name} />
        </div>
      </div>
    </div>
  );
}

function Page({ name }: { name: OperatePageName }) {
  switch (name) {
    case 'rules':
      return <RulesPage />;
    case 'tools':
      return <ToolsPage />;
    case 'agents':
      return <AgentsPage />;
    case 'models':
      return <ModelsPage />;
    case 'runs':
      return <RunsPage />;
    case 'usage':
      return <UsagePage />;
    case 'keys':
      return <KeysPage />;
    case 'audit':
      return <AuditPage />;
    case 'health':
      return <HealthPage />;
    case 'connect':
      return <ConnectPage />;
  }
}
