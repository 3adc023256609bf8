/** Shell prompts, as shown in transcripts. */
const prompt = /^\s*(?:[\w.-]+@[\w.-][^$#%>]*[$#%]|PS(?: [^>]*)?>|[A-Za-z]:\\[^>]*>|[$%❯])(?: +|$)/;
const continuationPrompt = /^\s*>{1,2} ?/;

/** Ends and starts of lines that are only part of a command. */
const endsOpen = /(?:[|({[]|&&|(?:^|[\s;])(?:do|then|else|in))$/;
const beginsInside = /^(?:\s|[|)}\]]|&&|(?:do|done|then|else|elif|fi|esac|end)(?:[\s;]|$))/;
const hereDocument = /<<-?\s*['"\\]?\w|@['"]\s*$/;

/**
 * The commands of a block of shell code, one per line, as a person would type them: without
 * prompts, the output in a transcript, and comments, and with continued lines joined. Undefined if
 * several lines form one command that cannot be written on one line.
 */
export function readShellCommands(text: string): readonly string[] | undefined {
  const typed = withoutTranscript(text.split(/\r?\n/));
  const joined = joinLines(typed).map((line) => line.trimEnd());
  const commands = joined.filter((line) => line !== '' && !/^\s*#/.test(line));
  const [only = ''] = commands;
  if (commands.length <= 1) return commands.length === 0 ? [] : [only.trimStart()];
  return commands.some(
    (line) =>
      endsOpen.test(line) ||
      beginsInside.test(line) ||
      hereDocument.test(line) ||
      hasOpenQuote(line),
  )
    ? undefined
    : commands;
}

/**
 * The typed lines of a transcript. Code that does not start with a prompt is returned unchanged.
 */
function withoutTranscript(lines: readonly string[]): readonly string[] {
  const first = lines.find((line) => line.trim() !== '') ?? '';
  if (!prompt.test(first)) return lines;
  let isContinued = false;
  return lines.flatMap((line) => {
    const typed = prompt.test(line)
      ? line.replace(prompt, '')
      : isContinued
        ? line.replace(continuationPrompt, '')
        : undefined;
    isContinued = typed !== undefined && continues(typed);
    return typed ?? [];
  });
}

function joinLines(lines: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let open: string | undefined;
  for (const line of lines) {
    const joinedLine: string = (open ?? '') + line;
    open = continues(line) ? joinedLine.slice(0, -1) : undefined;
    if (open === undefined) joined.push(joinedLine);
  }
  return open === undefined ? joined : [...joined, open];
}

/**
 * True if a line continues on the next: a backslash in POSIX shells, a backtick in PowerShell and a
 * caret in `cmd`.
 */
function continues(line: string): boolean {
  const slashes = /(?<!\\)\\*$/.exec(line)?.[0].length ?? 0;
  return slashes % 2 === 1 || /^[^`]*\s`$/.test(line) || /\s\^$/.test(line);
}

function hasOpenQuote(line: string): boolean {
  return /['"`]/.test(line.replaceAll(/\\.|'[^']*'|"(?:\\.|[^"\\])*"|`[^`]*`/g, ''));
}

/**
 * The reason why a text can't be run as a command: it is empty, or contains control characters. An
 * interactive shell reads those as keys: a tab completes, others edit or recall lines, and a
 * different command runs than was shown.
 */
export function commandFlaw(command: string): 'empty' | 'keys' | undefined {
  if (command.trim() === '') return 'empty';
  return /(?!\n)\p{Cc}/u.test(command) ? 'keys' : undefined;
}

/**
 * The reason, for the model, why a command is refused; undefined if exactly the displayed text
 * would run.
 */
export function commandRefusal(command: string, shell: string): string | undefined {
  const flaw = commandFlaw(command);
  if (flaw === 'empty') return 'The command is empty.';
  if (flaw === 'keys') {
    return 'The command has control characters, which a terminal reads as keys. Use spaces instead of tabs.';
  }
  // A shell runs each line separately, and a terminal reports only how the first one ended.
  if (command.includes('\n')) {
    return 'Write it as one line, with && or ; between commands, or put it into a file and run that.';
  }
  if (/(?:^|[\\/])(?:z|c|tc)sh(?:\.exe)?$/i.test(shell) && recallsHistory(command)) {
    return 'In this shell, ! refers to earlier commands. Put it in single quotes, or write a file and run that.';
  }
  return undefined;
}

/**
 * Environment in which bash treats `!` as an ordinary character, since it reads the history
 * characters from there.
 */
export const historyDisabledEnvironment = { histchars: '' } as const;

/**
 * True if the shell would insert earlier commands: `!` outside of single quotes, `^` at the start.
 */
function recallsHistory(command: string): boolean {
  if (/^\^/m.test(command)) return true;
  const quotes = /\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"?|![^\s=("]|[^]/g;
  return (command.match(quotes) ?? []).some((part) =>
    part.startsWith('!') ? part.length > 1 : part.startsWith('"') && /![^\s="]/.test(part),
  );
}
