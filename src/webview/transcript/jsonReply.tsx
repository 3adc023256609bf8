import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { RunCode } from '../markdown/index.ts';
import { Icon } from '../parts/controls.tsx';
import { formatJson } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';
import { loadedMarkdown, openCodeMenu, runCodeAction, Prose } from './prose.tsx';

interface Props {
  readonly turn: string;
  readonly text: string;
  readonly index: number;
  readonly live: boolean;
}

/** Starts a code block that the reply can't close. */
const fence = `${'`'.repeat(40)}json\n`;

/** A reply requested as JSON: rendered as code while streaming, then validated and formatted. */
export function JsonReply({ turn, text, index, live }: Props) {
  if (live) return <Prose turn={turn} text={text} index={index} live={true} opening={fence} />;
  const formatted = formatJson(text);
  const valid = formatted !== undefined;
  return (
    <>
      <Code text={formatted ?? text} index={index} language={valid ? 'json' : ''} />
      <Verdict valid={valid} />
    </>
  );
}

interface CodeProps {
  readonly text: string;
  readonly index: number;
  readonly language: string;
}

function Code({ text, index, language }: CodeProps) {
  const store = useStore();
  const frame = useRef<HTMLDivElement>(null);
  const markdown = loadedMarkdown();
  useLayoutEffect(() => {
    if (markdown)
      frame.current?.replaceChildren(markdown.createCodeBlock(document, language, text));
  }, [markdown, language, text]);
  useLayoutEffect(() => {
    if (frame.current === null || markdown === undefined) return;
    const run: RunCode = (action, code) => runCodeAction(store, action, code);
    markdown.connectCodeButtons(frame.current, run, openCodeMenu);
  }, [markdown, store]);
  return <div class="prose" data-place={index} ref={frame} />;
}

function Verdict({ valid }: { readonly valid: boolean }) {
  return (
    <div class="note">
      <Icon name={valid ? 'check' : 'warning'} />
      <span>
        {valid ? l10n.t('Valid JSON') : l10n.t("This isn't valid JSON. It's shown as received.")}
      </span>
    </div>
  );
}
