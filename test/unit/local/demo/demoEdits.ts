import assert from 'node:assert/strict';
import { codeCommands, type CodeCommandName } from '../../../../src/core/code/codeCommands.ts';
import { CodeExtractor, WordsReply } from '../../../../src/core/code/codeExtractor.ts';
import { editMessages, testMessages } from '../../../../src/core/code/codePrompt.ts';
import type { WireMessage } from '../../../../src/core/service/wire.ts';
import { replyToEdit } from '../../../../src/local/demo/edits.ts';
import { readEditRequest } from '../../../../src/local/demo/requests.ts';
import { DemoScript } from '../../../../src/local/demo/script.ts';

export const english = new DemoScript();
const { files } = english.sample;

export const temperature = files['src/temperature.ts'];
export const report = files['server/report.py'];
export const reportTests = files['server/test_report.py'];

const l10n = { t: (text: string) => text };

export function taskOf(name: CodeCommandName): string {
  return codeCommands[name].instruction(l10n);
}

/** Messages of a request as the service receives them. */
export function requestMessages(
  messages: readonly WireMessage[],
): readonly { readonly role: string; readonly content: string }[] {
  return messages.map(({ role, content }) => ({ role, content: content ?? '' }));
}

interface Edit {
  readonly path: string;
  readonly language: string;
  readonly text: string;
  readonly task: string;
  /** 0-based first line of the code, and the line after it. By default the whole file. */
  readonly start?: number;
  readonly end?: number;
}

/** The file after the demo's edit; undefined if its reply has no code. */
export function edited(
  { path, language, text, task, start = 0, end }: Edit,
  script = english,
): string | undefined {
  const lines = text.split(/(?<=\n)/);
  const after = lines.slice(end ?? lines.length).join('');
  const before = lines.slice(0, start).join('');
  const selected = lines.slice(start, end ?? lines.length).join('');
  const code = { path, language, before, selected, after, firstLine: start + 1 };
  const piece = codeOf(editMessages(code, task, ''), language, script);
  if (piece === undefined) return undefined;
  return before + (text.endsWith('\n') || after !== '' ? piece : piece.replace(/\n$/, '')) + after;
}

/** The tests in the demo's reply; undefined if its reply has no code. */
export function testsFor(
  code: Pick<Edit, 'path' | 'language' | 'text'>,
  file: { readonly path: string; readonly text?: string },
): string | undefined {
  const { path, language, text: selected } = code;
  const piece = { path, language, before: '', selected, after: '', firstLine: 1 };
  return codeOf(testMessages(piece, file, taskOf('writeTests'), ''), language, english);
}

function codeOf(
  messages: readonly WireMessage[],
  language: string,
  script: DemoScript,
): string | undefined {
  const request = readEditRequest(requestMessages(messages));
  assert.ok(request);
  const extractor = new CodeExtractor(language);
  try {
    return extractor.push(replyToEdit(request, script)) + extractor.end();
  } catch (error) {
    assert.ok(error instanceof WordsReply);
    return undefined;
  }
}
