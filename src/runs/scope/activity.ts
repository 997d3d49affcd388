/**
 * What a run does: it works, it only waits for people, or it waits in such a way that it could be parked: whatever is in flight comes to the
 * same wait when it is run again.
 */
export type Activity = 'working' | 'waiting' | 'parkable';
