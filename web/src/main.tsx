import { Tooltip } from 'radix-ui';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { App } from './routes/app';
import { ErrorBoundary } from './routes/error-boundary';
import { watchServerVersion } from './feed/server-version';
import { keepFeed } from './feed/shared-feed';
import { CONSOLE_PATH } from './session/client';
import { finishSignIn } from './session/finish-sign-in';
import { keepAssets } from './session/service-worker';
import { reloadAfterUpgrades } from './session/upgrades';
import { applyTheme } from './ui/theme';

applyTheme();
reloadAfterUpgrades();
await finishSignIn();
watchServerVersion();
keepFeed();
keepAssets();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <Router base={CONSOLE_PATH}>
      <Tooltip.Provider delayDuration={400}>
        <ErrorBoundary>
          <App />
        </ErrorBoundary>
      </Tooltip.Provider>
    </Router>
  </StrictMode>,
);
