import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { connectCodeButtons, createCodeBlock } from '../markdown/index.ts';
import { runCodeAction } from './codeActions.ts';
import { formatJson } from './formatJson.ts';
import { Icon } from './iconButton.tsx';
import { useStore } from './storeContext.ts';

interface Props {
  readonly text: string;
  readonly live: boolean;
}

/** A reply that was asked for as JSON: checked and formatted, once it is complete. */
export function JsonReply({ text, live }: Props) {
  const store = useStore();
  const frame = useRef<HTMLDivElement>(null);
  const formatted = live ? undefined : formatJson(text);
  useLayoutEffect(() => {
    if (frame.current === null) return undefined;
    const language = live || formatted !== undefined ? 'json' : '';
    frame.current.replaceChildren(createCodeBlock(document, language, formatted ?? text));
    return undefined;
  }, [formatted, live, text]);
  useLayoutEffect(() => {
    if (frame.current === null) return;
    connectCodeButtons(frame.current, (action, code, language) =>
      runCodeAction(store, action, code, language),
    );
  }, [store]);
  return (
    <>
      <div class="prose" ref={frame} />
      {!live && <Verdict valid={formatted !== undefined} />}
    </>
  );
}

function Verdict({ valid }: { readonly valid: boolean }) {
  return (
    <div class="note">
      <Icon name={valid ? 'check' : 'warning'} />
      <span>
        {valid
          ? l10n.t('Valid JSON')
          : l10n.t('This is not valid JSON. It is shown as the model wrote it.')}
      </span>
    </div>
  );
}
