import type { Uri } from 'vscode';
import type { WireMessage } from '../../core/service/wire.ts';

/** Whether the text of a file may be sent: asks where it may hold secrets. */
export type MaySend = (uri: Uri, text: string) => Promise<boolean>;

/** All that messages say. */
export function sentText(messages: readonly WireMessage[]): string {
  return messages.map(({ content }) => content ?? '').join('\n');
}
