/** In the order of the tabs. */
export const OPERATE_PAGES = [
  'rules',
  'tools',
  'agents',
  'models',
  'runs',
  'usage',
  'keys',
  'audit',
  'health',
  'connect',
] as const;

export type OperatePageName = (typeof OPERATE_PAGES)[number];
