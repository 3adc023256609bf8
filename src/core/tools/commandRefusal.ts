/**
 * What makes a text no command at all: that there is nothing in it, or that a terminal takes some of
 * it for keys. To an interactive shell control characters are keys: a tab completes, others edit or
 * recall lines, and other text runs than was shown.
 */
export function flawOf(command: string): 'empty' | 'keys' | undefined {
  if (command.trim() === '') return 'empty';
  return /(?!\n)\p{Cc}/u.test(command) ? 'keys' : undefined;
}

/** What is wrong with a command, for the model; undefined where its text runs as it is shown. */
export function refusalOf(command: string, shell: string): string | undefined {
  const flaw = flawOf(command);
  if (flaw === 'empty') return 'The command is empty.';
  if (flaw === 'keys') {
    return 'The command has control characters, which a terminal takes for keys. Write spaces for tabs.';
  }
  // A shell runs each line by itself, and a terminal tells of the first only how it ended.
  if (command.includes('\n')) {
    return 'Write it as one line, with && or ; between commands, or put it into a file and run that.';
  }
  if (hasHistory(shell) && recallsHistory(command)) {
    return 'In this shell ! stands for earlier commands. Put it in single quotes, or write a file and run that.';
  }
  return undefined;
}

/**
 * The environment of a shell in which `!` is only a character: bash reads its signs for the history
 * there.
 */
export const withoutHistory = { histchars: '' } as const;

/** Shells that replace `!` and have no such variable. */
function hasHistory(shell: string): boolean {
  return /(?:^|[\\/])(?:z|c|tc)sh(?:\.exe)?$/i.test(shell);
}

/** Whether the shell would put earlier commands in: `!` outside of single quotes, `^` in front. */
function recallsHistory(command: string): boolean {
  if (/^\^/m.test(command)) return true;
  const quotes = /\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"?|![^\s=("]|[^]/g;
  return (command.match(quotes) ?? []).some((part) =>
    part.startsWith('!') ? part.length > 1 : part.startsWith('"') && /![^\s="]/.test(part),
  );
}
