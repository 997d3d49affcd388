import type { RecordOf } from 'parley/client';
import { useEffect, useEffectEvent, useState } from 'react';
import { useShownChatOrNone } from '../chat/use-chat';
import { client } from '../session/client';
import { requestText as text } from '../strings/requests';
import { visible } from '../text/visible';
import { Fault } from '../ui/fault';
import { earlierCalls } from './earlier-calls';
import { MatcherView } from './matcher-view';
import type { RememberScope } from './remember-choice';
import { useChatOf } from './request';
import type { CardRequest } from './request';
import css from './requests.module.css';

/** The input may change with every key. */
const SETTLE_MS = 300;
const MOST_NAMED = 4;

type Preview = Awaited<ReturnType<typeof client.requests.previewRule>>;
type Call = RecordOf<'TOOL_CALL'>;

interface Found {
  readonly allow: Preview;
  readonly deny: Preview;
  /** The earlier calls that the server was asked about. */
  readonly calls: readonly Call[];
}

interface RulePreviewProps {
  readonly request: CardRequest;
  readonly scope: RememberScope;
  /** Input as it was changed; null: it can't be read now. */
  readonly input: Readonly<Record<string, unknown>> | null | undefined;
}

/** The rule that a decision adds, as the server would make it, and what it would have decided. */
export function RulePreview({ request, scope, input }: RulePreviewProps) {
  const { found, error } = usePreview({ request, scope, input });
  return (
    <div className={css['preview']} data-testid="rule-preview" aria-live="polite">
      <small>{text.preview}</small>
      {error !== undefined ? (
        <Fault error={error} />
      ) : found ? (
        <FoundRule found={found} scope={scope} tool={request.tool_name ?? ''} />
      ) : (
        <p>{text.previewing}</p>
      )}
    </div>
  );
}

function FoundRule(props: { found: Found; scope: RememberScope; tool: string }) {
  const { found, scope, tool } = props;
  const { allow, deny, calls } = found;
  const rule = allow.rule ?? deny.rule;
  if (!rule) return <p>{text.neither}</p>;
  const words = allow.rule ? (deny.rule ? text.both : text.onlyAllow) : text.onlyDeny;
  const decided = (allow.rule ? allow : deny).decides.flatMap((at) => calls[at] ?? []);
  return (
    <>
      <p>{words(text.rememberScopes[scope])}</p>
      <MatcherView matcher={rule.matcher} />
      {calls.length > 0 && <p>{visible(text.wouldHave(decided.length, calls.length, tool))}</p>}
      {decided.length > 0 && (
        <ul>
          {decided.slice(0, MOST_NAMED).map(({ id, seq, tool_input }) => (
            <li key={`${id} ${seq}`}>
              <code>{visible(tool_input)}</code>
            </li>
          ))}
          {decided.length > MOST_NAMED && <li>{text.more(decided.length - MOST_NAMED)}</li>}
        </ul>
      )}
    </>
  );
}

function usePreview({ request, scope, input }: RulePreviewProps): {
  readonly found: Found | undefined;
  readonly error: unknown;
} {
  const chatId = useChatOf(request);
  const shown = useShownChatOrNone();
  const [found, setFound] = useState<Found>();
  const [error, setError] = useState<unknown>();
  const ask = useEffectEvent(async (signal: AbortSignal): Promise<void> => {
    const calls = shown ? earlierCalls(shown.view.get(), request, scope) : [];
    const body = {
      approval_id: request.id,
      remember: scope,
      calls: calls.map(({ tool_name, tool_input }) => ({ tool_name, tool_input })),
    };
    const previews = [true, false].map((approved) =>
      client.requests.previewRule(
        chatId,
        request.interaction_id,
        { ...body, approved, ...(approved && input && { modified_input: input }) },
        { signal },
      ),
    );
    const [allow, deny] = await Promise.all(previews);
    setFound({ allow: allow!, deny: deny!, calls });
    setError(undefined);
  });
  const asked = input === null ? null : `${request.id} ${scope} ${JSON.stringify(input)}`;
  const delay = input ? SETTLE_MS : 0;
  useEffect(() => {
    if (asked === null) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      ask(stop.signal).catch((thrown: unknown) => !stop.signal.aborted && setError(thrown));
    }, delay);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [asked, delay]);
  return { found, error };
}
