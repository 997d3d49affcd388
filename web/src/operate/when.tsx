const SHORT = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
const short = new Intl.DateTimeFormat('en-GB', SHORT);
const long = new Intl.DateTimeFormat('en-GB', { ...SHORT, year: 'numeric' });

/** A time of the server, in the time zone of the reader. */
export function When({ at }: { at: string }) {
  const date = new Date(at);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  return (
    <time dateTime={at} title={date.toLocaleString('en-GB')}>
      {(isThisYear ? short : long).format(date)}
    </time>
  );
}
