import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { consentsWith } from '../../../support/consentsWith.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { vscodeOnDisk } from '../../../support/vscodeOnDisk.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

describe('the instructions of Claude Code in a workspace', () => {
  let folder: TemporaryFolder;
  let questions: string[];
  let stored: Map<string, unknown>;

  beforeEach(async () => {
    folder = await TemporaryFolder.create();
    questions = [];
    stored = new Map();
  });
  afterEach(() => folder.dispose());

  /** The texts that are sent for files after they were asked about, by path. */
  async function sentFor(...paths: readonly string[]): Promise<readonly (readonly string[])[]> {
    const { Instructions } = await withFakeVsCode(
      vscodeOnDisk(folder.path),
      () => import('../../../../src/host/context/instructions.ts'),
    );
    const consents = consentsWith(
      {
        choose({ message, buttons: [, , yes] }) {
          questions.push(message.replace(/^Use (.*) as instructions\?$/, '$1'));
          return Promise.resolve(yes);
        },
      },
      stored,
    );
    const instructions = new Instructions(
      consents,
      { of: () => ({ button: 'Preview', show: () => Promise.resolve() }) },
      (text) => text,
      (error) => assert.fail(String(error)),
    );
    await instructions.prepare([paths], true);
    const sent = instructions.shownFor([paths]).map(({ path, text }) => [path, text]);
    instructions.dispose();
    return sent;
  }

  it('are for the whole workspace, for the files of a folder, or for those of their paths', async () => {
    await folder.put('CLAUDE.md', 'See @docs/style.md.');
    await folder.put('.claude/CLAUDE.md', 'Be brief.');
    await folder.put('docs/style.md', 'Imported.');
    await folder.put('web/CLAUDE.md', 'Use hooks.');
    await folder.put('.claude/rules/all.md', 'Be kind.');
    await folder.put('.claude/rules/deep/er/web.md', '---\npaths: web/**\n---\nNo classes.');
    await folder.put('.claude/rules/deep/py.md', '---\npaths: [**/*.py]\n---\nUse types.');
    await folder.put('.claude/rules/notes.txt', 'No rule.');
    await folder.put('CLAUDE.local.md', 'Mine.');
    await folder.put('.cursorrules', 'Of another.');
    const always = [
      ['CLAUDE.md', 'See @docs/style.md.'],
      ['.claude/CLAUDE.md', 'Be brief.'],
      ['.claude/rules/all.md', 'Be kind.'],
    ];
    assert.deepEqual(await sentFor('a.ts'), always);
    assert.deepEqual(await sentFor('web/src/a.ts', '.claude/rules/all.md'), [
      ...always,
      ['.claude/rules/deep/er/web.md', 'No classes.'],
      ['web/CLAUDE.md', 'Use hooks.'],
    ]);
    // Each was asked about once, by both windows.
    assert.deepEqual(questions, [...new Set(questions)]);
    assert.equal(questions.length, 5);
    await folder.put('CLAUDE.md', 'See nothing.');
    await sentFor('a.ts');
    assert.deepEqual(questions.slice(5), ['CLAUDE.md']);
  });

  it('are not sent beside an AGENTS.md that says the same, or that they only name', async () => {
    const agents = await folder.put('AGENTS.md', 'Use tabs.');
    await folder.put('CLAUDE.md', 'Use tabs.\n');
    await folder.put('.claude/CLAUDE.md', '@../AGENTS.md\n');
    await folder.put('web/AGENTS.md', 'Use hooks.');
    await folder.put('web/CLAUDE.md', '@AGENTS.md');
    await folder.put('api/CLAUDE.md', 'Use JSON.');
    await symlink(join(folder.path, 'api/CLAUDE.md'), join(folder.path, 'api/AGENTS.md'));
    await folder.put('linked/a.ts', '');
    await symlink(agents, join(folder.path, 'linked/CLAUDE.md'));
    assert.deepEqual(await sentFor('web/a.ts', 'api/a.ts', 'linked/a.ts'), [
      ['AGENTS.md', 'Use tabs.'],
      ['api/CLAUDE.md', 'Use JSON.'],
      ['web/AGENTS.md', 'Use hooks.'],
    ]);
    assert.deepEqual(questions.toSorted(), ['AGENTS.md', 'api/CLAUDE.md', 'web/AGENTS.md']);
  });
});
