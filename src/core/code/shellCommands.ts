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
