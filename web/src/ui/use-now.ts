import { useEffect, useState } from 'react';
import { serverNow } from '../session/server-clock';

/** The time of the server, again every so many ms; null: it is not needed. */
export function useNow(every: number | null): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (every === null) return;
    const timer = setInterval(() => setNow(serverNow()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}
