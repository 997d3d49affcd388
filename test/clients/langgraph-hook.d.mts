export function renderHook(options: object): unknown;
