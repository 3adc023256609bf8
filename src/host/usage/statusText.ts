import type { l10n } from 'vscode';
import { formatTokens } from '../../core/conversation/usage.ts';
import { totalOf, type UsageByModel } from './usageByModel.ts';
import { usageRows, type UsageContext } from './usageTable.ts';

export interface UsageColumns {
  readonly chat: UsageByModel;
  readonly session: UsageByModel;
  readonly today: UsageByModel;
}

type Words = Pick<typeof l10n, 't'>;

const icon = '$(comment-discussion)';
const longestName = 32;

/** What the status bar shows: the model without its provider, and the session's tokens. */
export function statusText(model: string, session: UsageByModel): string {
  if (model === '') return `${icon} Aside`;
  const { estimated, total_tokens } = totalOf(session);
  return `${icon} ${shortName(model)} ${formatTokens(total_tokens, estimated)}`;
}

/** The same for a screen reader. */
export function statusLabel(model: string, session: UsageByModel, l10n: Words): string {
  if (model === '') return l10n.t('Aside, no model chosen');
  const { estimated, total_tokens } = totalOf(session);
  const tokens = formatTokens(total_tokens, estimated);
  return l10n.t('Aside, model {0}, {1} tokens in this session', model, tokens);
}

/** The table of the tooltip, in Markdown. */
export function usageTooltip(model: string, columns: UsageColumns, context: UsageContext): string {
  const { l10n } = context;
  const title = model === '' ? l10n.t('No model chosen') : model;
  const heading = ['', l10n.t('This chat'), l10n.t('This session'), l10n.t('Today')];
  const rows = usageRows([columns.chat, columns.session, columns.today], context);
  return [
    `**${escapeMarkdown(title)}**`,
    '',
    tableLine(heading),
    '|:--|--:|--:|--:|',
    ...rows.map(({ label, values }) => tableLine([label, ...values])),
  ].join('\n');
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.map(escapeMarkdown).join(' | ')} |`;
}

function shortName(model: string): string {
  const name = model.slice(model.lastIndexOf('/') + 1) || model;
  const short = name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name;
  // An id of the service must not become an icon.
  return short.replaceAll('$(', '$ (');
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~&$]/g, '\\$&').replace(/\s+/g, ' ');
}
