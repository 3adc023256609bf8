import headless from '@xterm/headless';
import type { TerminalSize } from '../../src/core/tools/terminalText.ts';

/**
 * What VS Code's terminal shows of an output, with its scrollback, as `withoutBlanks`. Unlike there,
 * the scrollback can't be erased.
 */
export async function shownBy(sent: string, { columns, rows }: TerminalSize): Promise<string> {
  const terminal = new headless.Terminal({
    cols: columns,
    rows,
    scrollback: 100_000,
    // As in VS Code.
    scrollOnEraseInDisplay: true,
    // The system does so for a program.
    convertEol: true,
    allowProposedApi: true,
  });
  await new Promise<void>((resolve) => terminal.write(sent.replaceAll('\x1b[3J', ''), resolve));
  const { normal } = terminal.buffer;
  const lines: string[] = [];
  let isFull = false;
  for (let index = 0; index < normal.length; index++) {
    const line = normal.getLine(index);
    const text = line?.translateToString(true) ?? '';
    if (line?.isWrapped === true && isFull) lines.push((lines.pop() ?? '') + text);
    else lines.push(text);
    // A wide character leaves the last column free.
    isFull = [1, 2].some((end) => (line?.getCell(columns - end)?.getCode() ?? 0) !== 0);
  }
  terminal.dispose();
  return withoutBlanks(lines.join('\n'));
}

/** The text without blanks at the ends of lines and without blank lines at its end. */
export function withoutBlanks(text: string): string {
  return text.replace(/ +$/gm, '').trimEnd();
}
