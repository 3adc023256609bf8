import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
import { journey } from './support/journey.ts';
import { lastRequest } from './support/lastRequest.ts';

const files: Readonly<Record<string, string>> = {
  'CLAUDE.md': 'Temperatures are in kelvin. See @docs/units.md.\n',
  'AGENTS.md': '@CLAUDE.md\n',
  '.claude/rules/server/python.md': "---\npaths:\n  - 'server/**/*.py'\n---\nUse type hints.\n",
  '.claude/rules/web.md': '---\npaths: web/**\n---\nUse hooks.\n',
  '.claude/skills/deploy/SKILL.md':
    '---\ndescription: Deploys the server.\nargument-hint: [stage]\ndisable-model-invocation: true\n---\nRun the tests first.\n',
};

describe('journey: files of Claude Code', () => {
  journey('use the instructions, a rule and a skill of Claude Code', {}, async (walk) => {
    const { workbench, workspace, panel, picture } = walk;
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(workspace, path, '..'), { recursive: true });
      await writeFile(join(workspace, path), text);
    }
    await connect(walk);
    await panel.ask('How warm is it?');
    await workbench.dialog.getByText('Use CLAUDE.md as instructions?').waitFor();
    await picture('1-asked-about-CLAUDE.md');
    await decide(walk, 'Use');
    await panel.settled();
    assert.match(lastRequest(walk).messages[1]?.content ?? '', /kelvin[^]*How warm is it\?/);
    assert.doesNotMatch(JSON.stringify(lastRequest(walk)), /type hints|hooks|Deploys|SKILL/);

    // The rule comes with the message that has a file it is for, and what is sent before stays.
    await panel.input.pressSequentially('@report.py');
    await panel.option(/^report\.py/).waitFor();
    await panel.input.press('Enter');
    await panel.button('Remove report.py').waitFor();
    await panel.ask('Describe it.');
    await workbench.dialog
      .getByText('Use .claude/rules/server/python.md as instructions?')
      .waitFor();
    await workbench.dialog.getByText('about the files it is for').waitFor();
    await picture('2-asked-about-the-rule');
    await decide(walk, 'Use');
    await panel.settled();
    const { messages } = lastRequest(walk);
    assert.match(messages[1]?.content ?? '', /kelvin[^]*How warm is it\?/);
    assert.doesNotMatch(messages[1]?.content ?? '', /type hints/);
    assert.match(messages.at(-1)?.content ?? '', /Use type hints\.[^]*Describe it\./);
    assert.doesNotMatch(JSON.stringify(messages), /hooks|SKILL/);

    // Nothing is asked again. The skill is only known to the person.
    await panel.input.pressSequentially('/dep');
    await panel.option(/^deploy.*\[stage\] · Deploys the server\./).waitFor();
    await picture('3-hint-of-the-command');
    await panel.input.press('Enter');
    await workbench.dialog.getByText('Use the skill deploy?').waitFor();
    await picture('4-asked-about-the-skill');
    await decide(walk, 'Use');
    await panel.button('Remove deploy').waitFor();
    await panel.input.pressSequentially('beta');
    await panel.button('Send').click();
    await panel.messages.filter({ hasText: 'Follow the attached skill deploy.' }).waitFor();
    await panel.settled();
    assert.match(lastRequest(walk).messages.at(-1)?.content ?? '', /Run the tests first\.[^]*beta/);
    await picture('5-sent');
    await panel.ask('And now?');
    await panel.settled();
    assert.doesNotMatch(JSON.stringify(lastRequest(walk)), /SKILL\.md: Deploys/);
  });
});
