import * as l10n from '@vscode/l10n';

interface Preset {
  readonly temperature: number;
  readonly name: () => string;
  readonly use: () => string;
}

/** One number out of each range that the service recommends for a purpose. */
export const presets: readonly Preset[] = [
  {
    temperature: 0.2,
    name: () => l10n.t('Precise'),
    use: () => l10n.t('Extraction, classification, factual answers'),
  },
  {
    temperature: 0.8,
    name: () => l10n.t('Balanced'),
    use: () => l10n.t('General conversation'),
  },
  {
    temperature: 1.4,
    name: () => l10n.t('Creative'),
    use: () => l10n.t('Brainstorming, storytelling'),
  },
];
