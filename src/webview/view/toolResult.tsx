import * as l10n from '@vscode/l10n';
import { LongText } from './longText.tsx';

interface Props {
  readonly text: string;
  readonly failed: boolean;
}

/** What the model was told of a call. */
export function ToolResult({ text, failed }: Props) {
  if (text === '') return <div class="tool-note">{l10n.t('It had nothing to tell.')}</div>;
  return (
    <LongText text={text} name={failed ? l10n.t('Error') : l10n.t('Result')} failed={failed} />
  );
}
