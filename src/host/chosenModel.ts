import type { Inspection } from './settingValues.ts';

/**
 * The model that the setting says, empty where it says none; the workspace's choice comes first.
 * The same as in `readSettings`, without the rest of it.
 */
export function chosenModel({ workspaceValue, globalValue }: Inspection = {}): string {
  return textOf(workspaceValue) || textOf(globalValue);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
