import { emptyConversation, type Summary, type UserMessage } from '../conversation/conversation.ts';
import { onlySummariesOfPath, shownSummaries } from '../conversation/summaries.ts';
import { versionsOf, type TurnVersions, type VersionPlace } from '../conversation/versions.ts';
import { fenceFor, oneLine } from '../support/text.ts';
import type { ChatFile } from './chatFile.ts';
import { titleOf } from './chatTitle.ts';
import { inertMarkdown } from './inertMarkdown.ts';

type FileTurn = ChatFile['turns'][number];
type FilePart = FileTurn['parts'][number];

/** Notes for endings of a turn that are worth mentioning. */
const endings: Readonly<Partial<Record<FileTurn['status'], string>>> = {
  stopped: 'Stopped.',
  cut: 'The reply is incomplete.',
  failed: 'No reply.',
};

/**
 * A chat as Markdown for people and other programs: code stays code, tool calls are folded, and
 * nothing is active.
 */
export function markdownOf({ title, turns, others, summaries }: ChatFile): string {
  const name = titleOf({ title, turns, running: undefined });
  const versions = versionsOf({ ...emptyConversation(''), turns, others }, turns);
  const models = [...new Set(turns.map(({ model }) => model))].map(escapeInline);
  const first = turns[0]?.startedAt;
  const date = first === undefined ? '' : new Date(first).toISOString();
  const head = [
    `# ${escapeInline(name) || 'Chat'}`,
    `- Date: ${date.slice(0, 16).replace('T', ' ')} UTC\n- Model: ${models.join(', ')}`,
  ];
  const summaryByTurn = shownSummaries(
    onlySummariesOfPath({ ...emptyConversation(''), turns, summaries }).summaries,
  );
  const blocks = turns.flatMap((turn) => [
    ...turnBlocks(turn, versions[turn.id]),
    ...summaryBlocks(summaryByTurn.get(turn.id)),
  ]);
  return `${[...head, ...blocks].join('\n\n')}\n`;
}

/** Blocks of Markdown, to be separated by blank lines. */
function turnBlocks(turn: FileTurn, versions: TurnVersions = {}): readonly string[] {
  const { question, model, parts, error, changes = [] } = turn;
  const ending = endings[turn.status];
  const lines = [...(ending === undefined ? [] : [ending]), ...(error ? [error.message] : [])];
  const files = changes.map(
    ({ path, addedLines, removedLines }) =>
      `- ${escapeInline(path)} (+${addedLines} −${removedLines})`,
  );
  return [
    '## You',
    ...versionBlocks(versions.message),
    ...messageBlocks(question),
    `## ${escapeInline(model) || 'Reply'}`,
    ...versionBlocks(versions.reply),
    ...parts.flatMap(partBlocks),
    ...(files.length > 0 ? [`Changed files:\n\n${files.join('\n')}`] : []),
    ...(lines.length > 0 ? [`> ${escapeInline(lines.join(' '))}`] : []),
  ].filter((block) => block !== '');
}

/** A summary that replaces everything above in requests, or did so until it was undone. */
function summaryBlocks(summary: Summary | undefined): readonly string[] {
  if (summary === undefined) return [];
  const { text, model, unused } = summary;
  const state = unused === true ? 'not sent' : 'sent in place of the messages above';
  return folded(`Summary by ${model} (${state})`, [inertMarkdown(text.trim())]);
}

/** Other versions are only counted: a Markdown page is one path through the chat. */
function versionBlocks(version: VersionPlace | undefined): readonly string[] {
  return version === undefined ? [] : [`*Version ${version.number} of ${version.count}*`];
}

function messageBlocks({ text, attachments }: UserMessage): readonly string[] {
  return [
    inertMarkdown(text),
    ...attachments.flatMap(({ name, language, text: attached, image }) =>
      image === undefined
        ? folded(`Attachment: ${name}`, [codeBlock(attached, language)])
        : [`Image: ${escapeInline(name)} (${image.width} × ${image.height} pixels)`],
    ),
  ];
}

function partBlocks(part: FilePart): readonly string[] {
  switch (part.type) {
    case 'message':
      return ['### You', ...messageBlocks(part.message), '### Reply'];
    case 'text':
      return [inertMarkdown(part.text.trim())];
    case 'reasoning':
      return folded('Reasoning', [inertMarkdown(part.text.trim())]);
    case 'tool-call': {
      const result = part.output ?? part.result;
      const words = part.title === undefined ? '' : `: ${part.title}`;
      return folded(`Tool call: ${part.name}${words} (${part.status})`, [
        codeBlock(part.arguments, 'json'),
        ...(result === undefined ? [] : [codeBlock(result, '')]),
      ]);
    }
  }
}

/** A section that is collapsed until the reader opens it. */
function folded(summary: string, blocks: readonly string[]): readonly string[] {
  const label = oneLine(summary)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  return [`<details>\n<summary>${label}</summary>`, ...blocks, '</details>'];
}

function codeBlock(text: string, language: string): string {
  const fence = fenceFor(text);
  const isWord = /^[\w+#.-]{1,40}$/.test(language);
  return `${fence}${isWord ? language : ''}\n${text.replace(/\n$/, '')}\n${fence}`;
}

/** Plain text on one line, without any markup characters. */
function escapeInline(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]<>&|~!]/g, String.raw`\$&`);
}
