/** What a shell writes in front of what a person types, as transcripts show it. */
const prompt =
  /^\s*(?:[\w.-]+@[\w.-]+[^$#%>]*[$#%]|PS(?: [^>]*)?>|[A-Za-z]:\\[^>]*>|[$%❯])(?: +|$)/;
const continuationPrompt = /^\s*>{1,2} ?/;

/** What a line ends or begins with when it is only a part of something. */
const endsOpen = /(?:[|({[]|&&|(?:^|[\s;])(?:do|then|else|in))$/;
const beginsInside = /^(?:\s|[|)}\]]|&&|(?:do|done|then|else|elif|fi|esac|end)(?:[\s;]|$))/;
const hereDocument = /<<-?\s*['"\\]?\w|@['"]\s*$/;

/**
 * The commands of a block of shell code, one a line, as a person would type them: without prompts
 * and what a transcript shows of the output, without comments, and with lines joined that a shell
 * joins. Undefined where several lines are one command in a way that no single line says.
 */
export function readShellCommands(text: string): readonly string[] | undefined {
  const typed = withoutTranscript(text.split(/\r?\n/));
  const joined = joinLines(typed).map((line) => line.trimEnd());
  const commands = joined.filter((line) => line !== '' && !/^\s*#/.test(line));
  const [only = ''] = commands;
  if (commands.length <= 1) return commands.length === 0 ? [] : [only.trimStart()];
  return commands.some(isPart) ? undefined : commands;
}

/** Of a transcript, the lines that were typed. Other code begins with no prompt. */
function withoutTranscript(lines: readonly string[]): readonly string[] {
  const first = lines.find((line) => line.trim() !== '') ?? '';
  if (!prompt.test(first)) return lines;
  let goesOn = false;
  return lines.flatMap((line) => {
    const typed = prompt.test(line)
      ? line.replace(prompt, '')
      : goesOn
        ? line.replace(continuationPrompt, '')
        : undefined;
    goesOn = typed !== undefined && continues(typed);
    return typed ?? [];
  });
}

function joinLines(lines: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let open: string | undefined;
  for (const line of lines) {
    const whole: string = (open ?? '') + line;
    open = continues(line) ? whole.slice(0, -1) : undefined;
    if (open === undefined) joined.push(whole);
  }
  return open === undefined ? joined : [...joined, open];
}

/** A backslash in POSIX shells, a backtick in PowerShell and a caret in `cmd`. */
function continues(line: string): boolean {
  const slashes = /\\*$/.exec(line)?.[0].length ?? 0;
  return slashes % 2 === 1 || /^[^`]*\s`$/.test(line) || /\s\^$/.test(line);
}

/** Whether a line by itself would be something else, or wait for more. */
function isPart(line: string): boolean {
  return (
    endsOpen.test(line) || beginsInside.test(line) || hereDocument.test(line) || hasOpenQuote(line)
  );
}

function hasOpenQuote(line: string): boolean {
  return /['"`]/.test(line.replaceAll(/\\.|'[^']*'|"(?:\\.|[^"\\])*"|`[^`]*`/g, ''));
}

/**
 * What makes a text no command at all: that there is nothing in it, or that a terminal takes some of
 * it for keys. To an interactive shell control characters are keys: a tab completes, others edit or
 * recall lines, and other text runs than was shown.
 */
export function commandFlaw(command: string): 'empty' | 'keys' | undefined {
  if (command.trim() === '') return 'empty';
  return /(?!\n)\p{Cc}/u.test(command) ? 'keys' : undefined;
}

/** What is wrong with a command, for the model; undefined where its text runs as it is shown. */
export function commandRefusal(command: string, shell: string): string | undefined {
  const flaw = commandFlaw(command);
  if (flaw === 'empty') return 'The command is empty.';
  if (flaw === 'keys') {
    return 'The command has control characters, which a terminal reads as keys. Use spaces instead of tabs.';
  }
  // A shell runs each line by itself, and a terminal tells of the first only how it ended.
  if (command.includes('\n')) {
    return 'Write it as one line, with && or ; between commands, or put it into a file and run that.';
  }
  if (hasHistory(shell) && recallsHistory(command)) {
    return 'In this shell, ! refers to earlier commands. Put it in single quotes, or write a file and run that.';
  }
  return undefined;
}

/**
 * The environment of a shell in which `!` is only a character: bash reads its signs for the history
 * there.
 */
export const historyDisabledEnvironment = { histchars: '' } as const;

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
