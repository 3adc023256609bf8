import * as l10n from '@vscode/l10n';

interface Suggestion {
  readonly icon: string;
  readonly title: string;
  readonly text: string;
  /** Whether it can be sent as it is; otherwise the person writes the rest. */
  readonly complete: boolean;
}

/** Beginnings that make sense without any context. */
export function suggestions(): readonly Suggestion[] {
  return [
    {
      icon: 'lightbulb',
      title: l10n.t('What can you help me with?'),
      text: l10n.t('What can you help me with?'),
      complete: true,
    },
    {
      icon: 'bug',
      title: l10n.t('Explain an error message'),
      text: l10n.t('Explain this error message and how to fix its cause:\n\n'),
      complete: false,
    },
    {
      icon: 'code',
      title: l10n.t('Write a function'),
      text: l10n.t('Write a function that '),
      complete: false,
    },
  ];
}
