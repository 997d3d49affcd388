import { common } from '../strings/common';
import { Fault } from '../ui/fault';
import { useStore } from '../ui/store';
import { feedConnection, feedFault } from './shared-feed';

/** Stands where a list will be, until the feed has told what is in it. */
export function NotTold({ className }: { className: string | undefined }) {
  const fault = useStore(feedFault);
  const connection = useStore(feedConnection);
  if (fault !== undefined) return <Fault error={fault} />;
  return (
    <p className={className} role="status">
      {connection === 'reconnecting' ? common.noAnswer : common.loading}
    </p>
  );
}
