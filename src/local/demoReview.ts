import { readBlocks } from './demoEditRequest.ts';
import type { ScriptedReply } from './scriptedReply.ts';

interface Message {
  readonly role: string;
  readonly content: string;
}

/** An added line of a changed file. */
interface AddedLine {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** A pattern that a script can find in a line, and the comment on it. */
interface Rule {
  readonly pattern: RegExp;
  readonly kind: 'bug' | 'risk' | 'suggestion';
  readonly comment: string;
  /** The line as the comment suggests it; undefined to remove it. */
  readonly fix?: (line: string) => string | undefined;
}

/** The first rule that matches a line is used. */
const rules: readonly Rule[] = [
  {
    pattern: /^(?:<{7}|>{7})(?: |$)|^={7}$/,
    kind: 'bug',
    comment: 'A conflict marker of a merge was left here. Choose one of the sides and remove it.',
  },
  {
    pattern: /(?<![=!<>])[=!]=(?!=)\s*NaN\b|(?<![=!<>])[=!]==\s*NaN\b/,
    kind: 'bug',
    comment: 'Nothing equals `NaN`, so this is always the same. Use `Number.isNaN(…)`.',
  },
  {
    pattern: /\bcatch\s*(?:\([^()]{0,200}\)\s*)?\{\s*\}|^\s*except(?:\s+Exception)?:\s*pass\b/,
    kind: 'risk',
    comment:
      'The error is dropped, so a failure looks like a success. Handle it, or say in a comment why it can be ignored.',
  },
  {
    pattern: /\beval\s*\(|\.innerHTML\s*=|\bshell\s*=\s*True\b/,
    kind: 'risk',
    comment: 'Text from outside could be run here. Use a call that takes it as data.',
  },
  {
    pattern: /\bhttp:\/\/(?!localhost\b|127\.0\.0\.1)/,
    kind: 'risk',
    comment: 'This address isn’t encrypted. Use `https` if the server has it.',
    fix: (line) => line.replace(/\bhttp:\/\/(?!localhost\b|127\.0\.0\.1)/g, 'https://'),
  },
  {
    pattern: /\bconsole\.(?:log|debug)\s*\(|^\s*debugger\b|\bbreakpoint\(\)|\bdbg!\(/,
    kind: 'suggestion',
    comment: 'This looks like output from debugging. Remove it before you commit.',
    // Only a separate statement can be removed without the rest of its line.
    fix: (line) =>
      /^\s*(?:console\.\w+\s*\([^()]*\)|debugger|breakpoint\(\));?\s*$/.test(line)
        ? undefined
        : line,
  },
  {
    pattern: /\b(?:TODO|FIXME|XXX)\b/,
    kind: 'suggestion',
    comment: 'Something is still to be done here. Do it in this change, or open an issue for it.',
  },
  {
    pattern: /[\w)\]] [-+*/%] (?:\d+\.\d{2,}|\d{4,})\b/,
    kind: 'suggestion',
    comment: 'A named constant would say what this number means.',
  },
];

/** Maximum number of comments on one file. */
const maxOfFile = 5;

/** The scripted reply to Review Changes; undefined for any other request. */
export function replyToReview(messages: readonly Message[]): ScriptedReply | undefined {
  const [system, user, ...more] = messages;
  const isReview =
    system?.role === 'system' &&
    /^You are Aside, a coding assistant in VS Code\. You review changes /.test(system.content);
  if (!isReview || user?.role !== 'user' || more.length > 0) return undefined;
  const { blocks } = readBlocks(user.content);
  const comments = blocks.flatMap(({ title, text }) => commentsOn(addedLines(title, text)));
  return { content: comments.length === 0 ? 'none' : comments.join('\n') };
}

/** Whether a task is the fix of a review comment. */
export function isReviewFix(task: string): boolean {
  return task.startsWith('Do what this comment of a code review asks for');
}

/** The piece as the comment suggests it; undefined if the script has no fix for it. */
export function fixReviewed({
  task,
  piece,
}: Readonly<Record<'task' | 'piece', string>>): string | undefined {
  const { fix, pattern } = rules.find(({ comment }) => task.endsWith(comment)) ?? {};
  if (fix === undefined) return undefined;
  const lines = piece.split('\n').map((line) => (pattern?.test(line) === true ? fix(line) : line));
  return lines.filter((line) => line !== undefined).join('\n');
}

function addedLines(title: string, text: string): readonly AddedLine[] {
  const file = title.replace(/ \(cut: [^()]*\)$/, '');
  return text.split('\n').flatMap((numbered) => {
    const [, line, added] = /^ *(\d+) \+(.*)$/.exec(numbered) ?? [];
    return added === undefined ? [] : [{ file, line: Number(line), text: added }];
  });
}

function commentsOn(lines: readonly AddedLine[]): readonly string[] {
  const comments = lines.flatMap(({ file, line, text }) => {
    const rule = rules.find(({ pattern }) => pattern.test(text));
    if (rule === undefined) return [];
    const { kind, comment } = rule;
    return [JSON.stringify({ file, line, endLine: line, kind, comment })];
  });
  return comments.slice(0, maxOfFile);
}
