import fc from 'fast-check';
import type { Approved } from '../../../../src/core/approval/gate.ts';
import type { FileChange } from '../../../../src/core/conversation/conversation.ts';
import {
  isSameTextIgnoringLineEndings,
  withoutByteOrderMark,
} from '../../../../src/core/edits/lineEndings.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';
import type { Tool, ToolContext } from '../../../../src/core/tools/tool.ts';
import type { Location, Target } from '../../../../src/core/files/places.ts';
import {
  Changes,
  type ChangesOptions,
  type TurnChanges,
} from '../../../../src/host/tools/changes.ts';
import { Editing, type EditableContent } from '../../../../src/host/tools/editing.ts';
import {
  StaleFile,
  textToLeave,
  type FileWrite,
  type TextStore,
  type WrittenText,
} from '../../../../src/host/tools/textStore.ts';
import { GrantingGate, resultText, toolContext } from '../../../support/grantingGate.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { editFileTool } = await withoutVsCode(
  () => import('../../../../src/host/tools/editFile.ts'),
);
const { createFileTool } = await withoutVsCode(
  () => import('../../../../src/host/tools/createFile.ts'),
);

/** Files in memory, with an editor that may format on save. */
class FakeTexts implements TextStore {
  readonly files = new Map<string, string>();
  readonly dirty = new Set<string>();
  format: (text: string) => string = (text) => text;
  broken = false;

  read({ path }: Location): Promise<string | undefined> {
    return Promise.resolve(this.files.get(path));
  }

  write(changes: readonly FileWrite[], signal?: AbortSignal): Promise<readonly WrittenText[]> {
    try {
      signal?.throwIfAborted();
      if (this.broken) throw new ToolError('The disk is full.');
      for (const { kind, location, before, path } of changes) {
        const current = this.files.get(location.path);
        const isAsRead =
          kind === 'create'
            ? current === undefined
            : current !== undefined && isSameTextIgnoringLineEndings(current, before);
        if (!isAsRead) throw new StaleFile(path);
      }
      return Promise.resolve(changes.map((change) => this.#write(change)));
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #write(change: FileWrite): WrittenText {
    const { kind, location, after, isExact } = change;
    const { path } = location;
    const current = this.files.get(path) ?? '';
    const replaced = withoutByteOrderMark(current);
    const mark = current.slice(0, current.length - replaced.length);
    const isSaved = !this.dirty.has(path);
    if (kind === 'delete') {
      this.files.delete(path);
      return { location, text: after, replaced, encoding: 'utf8', isSaved };
    }
    const written = kind === 'create' ? withoutByteOrderMark(after) : textToLeave(change, replaced);
    const text = isSaved && isExact !== true ? this.format(written) : written;
    this.files.set(path, mark + text);
    return { location, text, replaced, isSaved };
  }
}

class FakeChangeStorage {
  readonly texts = new Map<string, string>();
  broken = false;

  read(path: string): Promise<string | undefined> {
    return Promise.resolve(this.texts.get(path));
  }

  write(path: string, text: string): Promise<void> {
    if (this.broken) return Promise.reject(new Error('ENOSPC'));
    this.texts.set(path, text);
    return Promise.resolve();
  }
}

export interface Rig {
  readonly texts: FakeTexts;
  readonly storage: FakeChangeStorage;
  readonly changes: Changes;
  readonly gate: GrantingGate;
  readonly editing: Editing;
  /** What tools read; a test may replace it. */
  readFile: (target: Approved<Target>) => Promise<EditableContent>;
  readonly events: TurnChanges[];
  readonly errors: unknown[];
}

/** The tools that change files, with all of their dependencies. */
export function createRig(
  texts = new FakeTexts(),
  storage = new FakeChangeStorage(),
  findInPlace: ChangesOptions['findInPlace'] = (files) => Promise.resolve(files.map(() => true)),
): Rig {
  const errors: unknown[] = [];
  const changes = new Changes({
    storage,
    texts,
    findInPlace,
    chatOf: (turn) => (turn.startsWith('other') ? 'other-chat' : 'chat'),
    onError: (error) => errors.push(error),
  });
  const events: TurnChanges[] = [];
  changes.onDidChange((change) => events.push(change));
  const gate = new GrantingGate((path) => ({ scheme: 'file', authority: '', path }));
  const readFile = ({ value: { location } }: Approved<Target>): Promise<EditableContent> => {
    const { path } = location;
    const text = texts.files.get(path);
    if (text === undefined) return Promise.resolve({ kind: 'missing' });
    const isCurrent = (): Promise<boolean> => Promise.resolve(texts.files.get(path) === text);
    return Promise.resolve({ kind: 'text', text, isLossy: text.includes('\ufffd'), isCurrent });
  };
  const editing = new Editing(gate, (target) => rig.readFile(target), changes);
  const rig: Rig = { texts, storage, changes, gate, editing, readFile, events, errors };
  return rig;
}

async function call(tool: Tool, args: object, context: ToolContext): Promise<string> {
  return resultText(await tool.prepare(args).run(context));
}

/** Replaces a text by `edit_file`. */
export function edit(
  { editing }: Pick<Rig, 'editing'>,
  path: string,
  search: string,
  replace: string,
  context = toolContext(),
): Promise<string> {
  return call(editFileTool(editing), { path, edits: [{ search, replace }] }, context);
}

/** Creates a file by `create_file`. */
export function create(
  { editing }: Pick<Rig, 'editing'>,
  path: string,
  content: string,
): Promise<string> {
  return call(createFileTool(editing), { path, content }, toolContext());
}

export function summaryOf({ path, kind, addedLines, removedLines, status }: FileChange): string {
  return `${kind} ${path} +${addedLines} −${removedLines} ${status}`;
}

/** Steps of a person, in addition to those of the model and of undo and redo. */
export const personSteps = ['type', 'convert', 'delete', 'retype'] as const;

/** Short texts with every kind of line ending. */
export const content = fc
  .array(fc.constantFrom('x', 'y', '\n', '\r\n', '\r'), { maxLength: 8 })
  .map((pieces) => pieces.join(''));

/** True if the texts are equal except for line endings. Undefined stands for a missing file. */
export function isSame(text: string | undefined, otherText: string | undefined): boolean {
  if (text === undefined || otherText === undefined) return text === otherText;
  return isSameTextIgnoringLineEndings(text, otherText);
}
