/** What is needed to look at what a terminal shows. */
export interface TerminalCopying {
  readonly clipboard: {
    readText(): PromiseLike<string>;
    writeText(text: string): PromiseLike<void>;
  };
  /** Copies from the active terminal what is selected, or its last command; does nothing where nothing is. */
  readonly copy: () => PromiseLike<unknown>;
}

/** Stands in the clipboard for a moment: it may be what was copied last. */
const marker = 'Aside reads the selection of the terminal.';

/**
 * What is copied from the active terminal; empty where nothing is. VS Code has no other way to its
 * texts than the clipboard, whose own is put back, whatever goes wrong.
 */
export async function copiedFromTerminal({ clipboard, copy }: TerminalCopying): Promise<string> {
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
