import * as l10n from '@vscode/l10n';
import type { ToolCallPart } from '../../core/conversation/conversation.ts';
import { revealInvisible } from '../../core/support/invisible.ts';
import { formatJson } from './formatJson.ts';
import { LongText } from './longText.tsx';
import { useStore } from './storeContext.ts';
import { useFold } from './useFold.ts';

/** What the model gave to the tool, folded; open while something is looked for in the chat. */
export function ToolArguments({ part }: { readonly part: ToolCallPart }) {
  const store = useStore();
  const { open, onToggle } = useFold(store.find.open.value > 0, false);
  return (
    <details class="fold tool-arguments" open={open} onToggle={onToggle}>
      <summary>{l10n.t('Arguments of {0}', part.name)}</summary>
      {open && <LongText text={shown(part.arguments)} name={l10n.t('Arguments')} />}
    </details>
  );
}

function shown(text: string): string {
  return revealInvisible(formatJson(text) ?? text).text;
}
