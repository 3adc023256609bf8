import type { RunningProcess } from '../conversation/conversation.ts';

/** Processes that a sentence for the model names. */
const maxNamed = 8;

/** The sentence that tells the model what a command left running. */
export function leftRunningText(processes: readonly RunningProcess[]): string {
  const names = processes.slice(0, maxNamed).map(({ id, name }) => `${name} (process ${id})`);
  const more = processes.length > maxNamed ? ` and ${processes.length - maxNamed} more` : '';
  return `It left running: ${names.join(', ')}${more}.`;
}
