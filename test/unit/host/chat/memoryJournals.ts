import type { JournalStatus, SavedJournals } from '../../../../src/host/chat/journal.ts';
import type { StoredText } from '../../../../src/host/chat/chatHeads.ts';
import { journalOf } from '../../../support/cutJournal.ts';
import { turnStart } from '../../../support/turns.ts';

/** Journals in memory, with a record of those that were read. */
export class MemoryJournals implements SavedJournals {
  readonly readIds: string[] = [];
  /** Ids of journals that can't be read. */
  readonly unreadable = new Set<string>();
  readonly #journals = new Map<string, { readonly text: string; readonly modified: number }>();
  #time = 1;

  write(id: string, text: string): void {
    this.#journals.set(id, { text, modified: this.#time++ });
  }

  remove(id: string): void {
    this.#journals.delete(id);
  }

  /** The stored text, without recording a read. */
  textOf(id: string): string {
    return this.#journals.get(id)?.text ?? '';
  }

  list(): Promise<readonly string[]> {
    return Promise.resolve([...this.#journals.keys()]);
  }

  status(id: string): Promise<JournalStatus | undefined> {
    const journal = this.#journals.get(id);
    return Promise.resolve(journal && { size: journal.text.length, modified: journal.modified });
  }

  read(id: string): Promise<string | undefined> {
    this.readIds.push(id);
    if (this.unreadable.has(id)) return Promise.reject(new Error('EACCES'));
    return Promise.resolve(this.#journals.get(id)?.text);
  }
}

export class MemoryText implements StoredText {
  text: string | undefined;

  read(): Promise<string | undefined> {
    return Promise.resolve(this.text);
  }

  write(text: string): Promise<void> {
    this.text = text;
    return Promise.resolve();
  }
}

/** A chat with one message and one reply. */
export function chatOf(
  id: string,
  text: string,
  at = 1,
  reply = 'Because.',
  workspace = '',
): string {
  const question = { text, attachments: [] };
  return journalOf(
    id,
    [
      turnStart({ id: `turn-${id}`, question, model: 'demo/m', at }),
      { type: 'text-delta', text: reply, at },
      { type: 'turn-end', status: 'finished', at },
    ],
    workspace,
  );
}
