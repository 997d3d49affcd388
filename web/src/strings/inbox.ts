export const inboxText = {
  title: 'Inbox',
  waiting: (count: number, hasMore: boolean) =>
    count === 0 ? 'nothing waits' : `${count}${hasMore ? ' or more' : ''} waiting`,
  empty: 'Nothing waits for you',
  emptyHint: 'Approvals and questions of all chats come here, and can be decided here.',
  more: 'Show more',
  place: 'See it in its chat',
  notify: 'Notify me',
  notifying: 'Notifications on',
  notNotifying: {
    blocked: 'Notifications blocked',
    unavailable: 'No notifications here',
  } as const,
  whyNot: {
    blocked: 'The browser blocks them for this address: allow them in its settings.',
    unavailable: 'Browsers allow them over HTTPS, and from this machine.',
  } as const,
  notifications: {
    approval: 'A call needs a decision',
    input: 'An agent asks you',
    tool: 'A call waits for its result',
  } as const,
};
