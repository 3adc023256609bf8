import assert from 'node:assert/strict';
import type { UserMessage } from '../../../../src/core/conversation/conversation.ts';
import type {
  TerminalCommand,
  TerminalCommands,
} from '../../../../src/host/tools/terminalCommands.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

/**
 * Fake of VS Code that accepts every listener, since the shared module of the commands adds some.
 */
const vscodeWhere = (isTrusted: boolean): string => `
  export const window = new Proxy({}, { get: (_, name) => name === 'activeTerminal' ? undefined : () => ({ dispose() {} }) });
  export const workspace = { isTrusted: ${isTrusted} };
  export const l10n = { t: (text) => text };
`;

const load = (isTrusted: boolean) =>
  withFakeVsCode(
    vscodeWhere(isTrusted),
    () => import('../../../../src/host/tools/explainTerminal.ts'),
  );
const untrusted = await load(false);
const trusted = await load(true);

describe('the explanation of a terminal in an untrusted workspace', () => {
  it('is refused before anything is read', async () => {
    const read = (): never => assert.fail('The last command was read.');
    const ask = (): Promise<void> => assert.fail('A message was sent.');
    const refused = /^UserError: Trust this workspace to/;
    await assert.rejects(untrusted.explainTerminal({ last: read }, ask), refused);
    await assert.rejects(untrusted.explainLastCommand({ last: read }, ask), refused);
  });
});

for (const [what, explain] of [
  ['the last command', trusted.explainLastCommand],
  ['a terminal in which nothing is selected', trusted.explainTerminal],
] as const)
  describe(`the explanation of ${what}`, () => {
    async function explained(last: TerminalCommand | undefined): Promise<UserMessage | undefined> {
      const commands: Pick<TerminalCommands, 'last'> = { last: () => Promise.resolve(last) };
      const sentMessages: UserMessage[] = [];
      const ask = (message: UserMessage): Promise<void> =>
        Promise.resolve(void sentMessages.push(message));
      await explain(commands, ask);
      return sentMessages[0];
    }

    it("masks secrets in the terminal's text", async () => {
      const token = `ghp_${'a1B2'.repeat(9)}`;
      const message = await explained({
        command: `login ${token}`,
        exitCode: 0,
        isRunning: false,
        output: `logged in as ${token}`,
      });
      assert.ok(!JSON.stringify(message).includes(token));
    });
  });
