/** What `.env` would say. */
export const ADMIN_KEY = 'the-admin-key-of-the-deployment-check';
