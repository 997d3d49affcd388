/** Why an interaction is cancelled whose root agent a person has stopped. */
export const DELETED = 'Its agent was stopped by the user.';
