import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { modelAnswering, modelSaying } from '../support/modelSaying.ts';
import { chooseMode } from './support/chooseMode.ts';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
import { journey, type Journey } from './support/journey.ts';
import { lastRequest } from './support/lastRequest.ts';
import { withoutDiskPaths } from './support/reasons.ts';
import { partOf } from './support/requestTab.ts';

const notes = '.github/skills/release-notes/SKILL.md';
const tables = '.claude/skills/tables/SKILL.md';
const text =
  '---\nname: release-notes\ndescription: Writes release notes from the merged changes. Use it when a version is released.\nallowed-tools: run_command\n---\nBegin each note with a verb.\n';

const script = modelAnswering({
  'Write the notes.': [[['read_file', { path: notes }]], 'Adds a forecast.'],
});

const home = {
  '.claude/skills/mine/SKILL.md': '---\ndescription: Is mine.\n---\nSay hello first.\n',
  '.claude/skills/mine/more.md': 'Then go on.\n',
  '.claude/notes.md': 'For me alone.\n',
};

/** Reads the skill listed in the request, and files beside it. */
const readOwn: Script = (request) => {
  const texts = request.messages.map(({ content }) => content).join('\n');
  const folder = /^- (.*)\/SKILL\.md: Is mine\.$/m.exec(texts)?.[1] ?? '';
  const calls = ['SKILL.md', 'more.md', '../../notes.md'].map(
    (name) => [['read_file', { path: `${folder}/${name}` }]] as const,
  );
  return modelSaying(...calls, 'Done.')(request);
};

describe('journey: skills', () => {
  journey('allow, read, attach and turn off a skill', { service: { script } }, async (walk) => {
    const { workbench, panel, picture } = walk;
    await write(walk, notes, text);
    await write(walk, tables, '---\ndescription: Reads tables.\n---\nCount the columns first.\n');
    await write(walk, '.claude/skills/broken/SKILL.md', 'No front matter.\n');
    await connect(walk);
    await panel.ask('Write the notes.');
    await workbench.dialog.getByText(/^Use \d+ skills\?/).waitFor();
    await workbench.dialog.getByText(notes).waitFor();
    await picture('1-asked-about-both');
    await decide(walk, 'Use');
    await panel.settled();
    const { messages, results, tools } = lastRequest(walk);
    assert.doesNotMatch(messages[0]?.content ?? '', /skill/i);
    assert.match(
      messages[1]?.content ?? '',
      /tables\/SKILL\.md: Reads tables\.\n\n- .*release-notes/,
    );
    assert.match(results[0] ?? '', /Begin each note with a verb\./);
    assert.ok(tools.includes('run_command') || tools.includes('read_file'));
    await picture('2-read-by-the-model');

    await attach(walk);
    await manage(walk);
    await seeRequest(walk);

    await write(walk, notes, text.replace('a verb', 'a noun'));
    await panel.ask('And now?');
    await workbench.dialog.getByText('Use the skill release-notes?').waitFor();
    await decide(walk, "Don't Use");
    await panel.settled();
    assert.doesNotMatch(lastRequest(walk).messages[1]?.content ?? '', /SKILL/);
  });

  journey(
    'read only the folder of a personal skill',
    { freshWindow: true, home, service: { script: readOwn }, not: withoutDiskPaths },
    async (walk) => {
      const { workbench, panel, picture } = walk;
      await connect(walk);
      await panel.ask('Go on.');
      await workbench.dialog.getByText('Use the skill mine?').waitFor();
      await decide(walk, 'Use');
      await workbench.dialog.getByText('notes.md').first().waitFor();
      assert.match(lastRequest(walk).results.join(), /Say hello first\.[^]*Then go on\./);
      await picture('7-asked-about-another-file');
      await decide(walk, 'Deny');
      await panel.settled();
      assert.doesNotMatch(JSON.stringify(lastRequest(walk)), /For me alone/);
    },
  );
});

/** Attaches a skill with a slash command, which needs no tools. */
async function attach(walk: Journey): Promise<void> {
  const { panel, picture } = walk;
  await chooseMode(walk, 'Chat');
  await panel.input.pressSequentially('/rel');
  await panel.option(/^release-notes/).waitFor();
  await picture('3-in-the-list');
  await panel.input.press('Enter');
  await panel.button('Remove release-notes').waitFor();
  await panel.input.pressSequentially('for May');
  await picture('4-attached');
  await panel.button('Send').click();
  await panel.messages.filter({ hasText: 'Follow the attached skill release-notes.' }).waitFor();
  await panel.settled();
  const { messages, tools } = lastRequest(walk);
  assert.deepEqual(tools, []);
  assert.doesNotMatch(JSON.stringify(messages), /Reads tables/);
  assert.match(
    messages.at(-1)?.content ?? '',
    /Begin each note with a verb\.[^]*for May\n\nFollow the/,
  );
  await chooseMode(walk, 'Agent');
}

async function manage({ workbench, picture }: Journey): Promise<void> {
  await workbench.command('Aside: Manage Tools…');
  await workbench.quickInput.locator('input.input').fill('SKILL.md');
  await workbench.rows.filter({ hasText: 'has no description' }).waitFor();
  await picture('5-managed');
  await workbench.tick('tables');
}

async function seeRequest({ workbench, picture }: Journey): Promise<void> {
  await workbench.command('Aside: Show Next Request');
  const tab = workbench.webview('aside-chat.aside', 'editor');
  await partOf(tab, notes).waitFor();
  assert.equal(await partOf(tab, tables).count(), 0);
  await picture('6-parts-of-the-request');
}

async function write({ workspace }: Journey, path: string, content: string): Promise<void> {
  await mkdir(join(workspace, path, '..'), { recursive: true });
  await writeFile(join(workspace, path), content);
}
