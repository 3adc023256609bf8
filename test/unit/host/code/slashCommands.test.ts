import assert from 'node:assert/strict';
import { codeCommands } from '../../../../src/core/code/codeCommands.ts';
import type { UserMessage } from '../../../../src/core/conversation/conversation.ts';
import type { PromptContent } from '../../../../src/host/code/promptFiles.ts';
import type { SlashCommandsOptions } from '../../../../src/host/code/slashCommands.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { expandCommand, listCommands } = await withoutVsCode(
  () => import('../../../../src/host/code/slashCommands.ts'),
);

const attachment = { id: '1', name: 'a.ts', path: 'a.ts', language: 'typescript', text: 'a' };

const files: Readonly<Record<string, PromptContent>> = {
  review: { text: 'Review this.\n', isEdit: false },
  tidy: { text: 'Tidy this.', isEdit: true },
};

function asked(text: string): UserMessage {
  return { text, attachments: [attachment] };
}

function needs(): SlashCommandsOptions & { readonly ran: unknown[] } {
  const ran: unknown[] = [];
  return {
    ran,
    prompts: {
      read: (name) => Promise.resolve(files[name]),
    },
    code: () => Promise.resolve(attachment),
    run: (name, instruction) => ran.push([name, instruction]),
  };
}

describe('a message that starts with a slash', () => {
  it('sends the prompt file of that name, followed by the rest of the message', async () => {
    assert.deepEqual(await expandCommand(asked('/review'), needs()), asked('Review this.'));
    assert.deepEqual(
      await expandCommand(asked('/review only\nthe tests '), needs()),
      asked('Review this.\n\nonly\nthe tests'),
    );
  });

  it('stays unchanged if there is no such command', async () => {
    for (const text of ['/usr/bin is empty, why?', '/ what', '/fault 402 Hello', 'a /review']) {
      assert.deepEqual(await expandCommand(asked(text), needs()), asked(text));
    }
  });

  it('asks what a command says whose result is a reply, with the words after the name', async () => {
    const text = codeCommands.explain.instruction({ t: (message) => message });
    assert.match(text, /^Explain this code: what it is for/);
    assert.deepEqual(await expandCommand(asked('/explain'), needs()), asked(text));
    assert.deepEqual(
      await expandCommand(asked('/explain as to a child'), needs()),
      asked(`${text}\n\nas to a child`),
    );
  });

  it('runs a command whose result goes into the editor, with the words as an instruction', async () => {
    const one = needs();
    assert.equal(await expandCommand(asked('/fix'), one), undefined);
    assert.equal(await expandCommand(asked('/edit use a loop'), one), undefined);
    assert.equal(await expandCommand(asked('/tidy quickly'), one), undefined);
    assert.deepEqual(one.ran, [
      ['fix', ''],
      ['edit', 'use a loop'],
      ['edit', 'Tidy this.\n\nquickly'],
    ]);
  });
});

describe('the slash list', () => {
  it('has each command on code', async () => {
    const found = await listCommands({ list: () => Promise.resolve([]) });
    assert.deepEqual(found, [
      { name: 'explain', description: 'Explain the code' },
      { name: 'fix', description: 'Fix the code' },
      { name: 'improve', description: 'Improve the code' },
      { name: 'document', description: 'Document the code' },
      { name: 'writeTests', description: 'Write tests for the code' },
      { name: 'edit', description: 'Change the code as you describe' },
    ]);
  });
});
