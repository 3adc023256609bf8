import type { Approved } from '../../../../src/core/approval/gate.ts';
import {
  isSameTextIgnoringLineEndings,
  withoutByteOrderMark,
} from '../../../../src/core/edits/lineEndings.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';
import type { Tool, ToolContext } from '../../../../src/core/tools/tool.ts';
import type { Location, Target } from '../../../../src/core/files/places.ts';
import { Changes, type TurnChanges } from '../../../../src/host/tools/changes.ts';
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

/** Files in memory, as an editor saves them. */
class FakeTexts implements TextStore {
  readonly files = new Map<string, string>();
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
    const { kind, location, after } = change;
    const { path } = location;
    const current = this.files.get(path) ?? '';
    const replaced = withoutByteOrderMark(current);
    const mark = current.slice(0, current.length - replaced.length);
    if (kind === 'delete') {
      this.files.delete(path);
      return { location, text: after, replaced, encoding: 'utf8', isSaved: true };
    }
    const text = kind === 'create' ? withoutByteOrderMark(after) : textToLeave(change, replaced);
    this.files.set(path, mark + text);
    return { location, text, replaced, isSaved: true };
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

export type Rig = ReturnType<typeof createRig>;

/** The tools that change files, with all of their dependencies. */
export function createRig(texts = new FakeTexts(), storage = new FakeChangeStorage()) {
  const errors: unknown[] = [];
  const changes = new Changes({
    storage,
    texts,
    findInPlace: (files) => Promise.resolve(files.map(() => true)),
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
  const editing: Editing = new Editing(gate, (target) => rig.readFile(target), changes);
  /** A test may replace `readFile`, by which tools read. */
  const rig = { texts, storage, changes, gate, editing, readFile, events, errors };
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
