import type { Gate } from '../../src/core/approval/gate.ts';
import { systemClock } from '../../src/core/support/clock.ts';
import { exposedTools } from '../../src/core/tools/exposedTools.ts';
import type { Tool } from '../../src/core/tools/tool.ts';
import { withoutVsCode } from './withoutVsCode.ts';

const refuse = (): Promise<never> => Promise.reject(new Error('There is no VS Code here.'));

/** A gate that lets nothing through. */
const closedGate: Gate = {
  read: refuse,
  edit: refuse,
  run: refuse,
  external: refuse,
  mayShow: () => false,
};

/** All of Aside's tools, to look at and not to call. */
export function ownToolsHere(): Promise<readonly Tool[]> {
  return withoutVsCode(async () => {
    const { ownTools } = await import('../../src/host/tools/ownTools.ts');
    return ownTools({
      gate: closedGate,
      files: { readFile: refuse },
      changes: { apply: refuse },
      searchAt: () => {
        throw new Error('There are no files here.');
      },
      terminals: { shell: '', start: refuse },
      clock: systemClock,
    });
  });
}

/** Those that are lent to other chats, to look at and not to call. */
export async function readToolsHere(): Promise<readonly Tool[]> {
  const tools = await ownToolsHere();
  return exposedTools.flatMap((name) => tools.filter((tool) => tool.name === name));
}
