/** What is needed to look at the selection of a terminal. */
export interface SelectionSources {
  readonly clipboard: {
    readText(): PromiseLike<string>;
    writeText(text: string): PromiseLike<void>;
  };
  /** Copies what is selected in the active terminal; does nothing where nothing is. */
  readonly copy: () => PromiseLike<unknown>;
}

/** Stands in the clipboard for a moment: a selection may be what was copied last. */
const marker = 'Aside reads the selection of the terminal.';

/**
 * What is selected in the active terminal; empty where nothing is. VS Code has no other way to it
 * than the clipboard, whose text is put back, whatever goes wrong.
 */
export async function terminalSelection({ clipboard, copy }: SelectionSources): Promise<string> {
  const before = await clipboard.readText();
  // Without a text there may be a picture, which could not be put back.
  if (before !== '') await clipboard.writeText(marker);
  try {
    await copy();
    const copied = await clipboard.readText();
    return copied === marker ? '' : copied;
  } finally {
    if ((await clipboard.readText()) !== before) await clipboard.writeText(before);
  }
}
