import * as l10n from '@vscode/l10n';
import type { RequestOptions } from '../../core/conversation/conversation.ts';

/** A parsed number of the options form, or the reason why it is invalid. */
export type FieldValue = { readonly value: number | undefined } | { readonly problem: string };

interface NumberField {
  readonly name: 'temperature' | 'topP' | 'maxTokens';
  readonly label: () => string;
  readonly rule: () => string;
  readonly accepts: (value: number) => boolean;
}

export const numberFields: readonly NumberField[] = [
  {
    name: 'temperature',
    label: () => l10n.t('Temperature'),
    rule: () => l10n.t('Enter a number from 0 to 2.'),
    accepts: (value) => value >= 0 && value <= 2,
  },
  {
    name: 'topP',
    label: () => l10n.t('Top P'),
    rule: () => l10n.t('Enter a number from 0 to 1.'),
    accepts: (value) => value >= 0 && value <= 1,
  },
  {
    name: 'maxTokens',
    label: () => l10n.t('Max tokens'),
    rule: () => l10n.t('Enter a whole number of 1 or more.'),
    accepts: (value) => Number.isSafeInteger(value) && value >= 1,
  },
];

/** An empty field stands for the configured value. A comma is read as a decimal point. */
export function readNumber(field: NumberField, text: string): FieldValue {
  const trimmed = text.trim();
  if (trimmed === '') return { value: undefined };
  const value = /^[-+]?[\d.,]+$/.test(trimmed) ? Number(trimmed.replace(',', '.')) : Number.NaN;
  return field.accepts(value) ? { value } : { problem: field.rule() };
}

/** Reads one stop sequence per line. Blank lines are skipped; other spaces are significant. */
export function readStop(text: string): readonly string[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? undefined : lines;
}

export function withoutEmpty(options: RequestOptions): RequestOptions {
  const { temperature, topP, maxTokens, stop, json } = options;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(stop !== undefined && stop.length > 0 && { stop }),
    ...(json === true && { json }),
  };
}

interface Preset {
  readonly temperature: number;
  readonly name: () => string;
  readonly use: () => string;
}

/** Temperatures from the ranges that the service recommends for each purpose. */
export const presets: readonly Preset[] = [
  {
    temperature: 0.2,
    name: () => l10n.t('Precise'),
    use: () => l10n.t('Extraction, classification, facts'),
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
