import type { Gate } from '../../src/core/approval/gate.ts';
import { exposedTools } from '../../src/core/tools/exposedTools.ts';
import type { Tool } from '../../src/core/tools/tool.ts';
import { Changes } from '../../src/host/tools/changes.ts';
import { Editing } from '../../src/host/tools/editing.ts';
import { nothingLeftOut } from './nothingLeftOut.ts';
import { withoutVsCode } from './withoutVsCode.ts';

const refuse = (): Promise<never> => Promise.reject(new Error('There is no VS Code here.'));

/** A gate that denies everything. */
const closedGate: Gate = {
  read: refuse,
  open: refuse,
  edit: refuse,
  run: refuse,
  external: refuse,
  bytes: refuse,
  mayShow: () => false,
  leftOut: () => nothingLeftOut,
};

/** All built-in tools, for inspection; they cannot be called. */
export function ownToolsHere(): Promise<readonly Tool[]> {
  return withoutVsCode(async () => {
    const { ownTools } = await import('../../src/host/tools/tools.ts');
    const { OpenQuestions } = await import('../../src/host/tools/askUser.ts');
    const changes = new Changes({
      storage: { read: refuse, write: refuse },
      texts: { read: refuse, write: refuse },
      findInPlace: refuse,
      chatOf: () => '',
      onError: () => undefined,
    });
    return ownTools({
      gate: closedGate,
      editing: new Editing(closedGate, refuse, changes),
      searchAt: () => {
        throw new Error('There are no files here.');
      },
      readRepository: refuse,
      terminals: undefined,
      questions: new OpenQuestions(),
      onLeftRunning: () => undefined,
    });
  });
}

/** The tools exposed to other chats, for inspection; they cannot be called. */
export async function readToolsHere(): Promise<readonly Tool[]> {
  const tools = await ownToolsHere();
  return exposedTools.flatMap((name) => tools.filter((tool) => tool.name === name));
}
