import { mostListedSkills } from '../../../../src/core/turn/instructionScope.ts';
import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { skillRig, skillText, writeSkill } from '../../../support/skillRig.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';

const at = (path: string) => ({ scheme: 'file', authority: '', path });

describe('skills', () => {
  let temporary: TemporaryFolder;
  let folder: string;
  let home: string;
  /** Folders of skills: two of the workspace, one of the person. */
  let teamFolder: string;
  let claudeFolder: string;
  let personFolder: string;

  beforeEach(async () => {
    temporary = await TemporaryFolder.create();
    folder = join(temporary.path, 'web');
    home = join(temporary.path, 'home');
    teamFolder = join(folder, '.github/skills');
    claudeFolder = join(folder, '.claude/skills');
    personFolder = join(home, '.claude/skills');
    await Promise.all([folder, home].map((path) => mkdir(path, { recursive: true })));
  });
  afterEach(() => temporary.dispose());

  it('are asked about together, once, and listed when allowed, the own ones first', async () => {
    await writeSkill(teamFolder, 'release', skillText('Writes release notes.'));
    await writeSkill(claudeFolder, 'tables', skillText('Reads tables. key-1234'));
    await writeSkill(personFolder, 'mine', skillText('Is mine.'));
    const stored = new Map<string, unknown>();
    const first = await skillRig({ folder, home, answers: [true], stored });
    await first.skills.prepare();
    assert.equal(first.dialogs.length, 1);
    assert.match(first.dialogs[0]?.[0] ?? '', /^Use 3 skills\?$/);
    for (const path of ['.github/skills/release/SKILL.md', `${personFolder}/mine/SKILL.md`])
      assert.ok(first.dialogs[0]?.[1].split('\n').includes(path), path);
    const texts = first.skills.listed.map(({ text }) => text);
    assert.deepEqual(texts, [
      `- ${personFolder}/mine/SKILL.md: Is mine.`,
      '- .claude/skills/tables/SKILL.md: Reads tables. ***',
      '- .github/skills/release/SKILL.md: Writes release notes.',
    ]);
    const later = await skillRig({ folder, home, stored });
    await later.skills.prepare();
    assert.deepEqual(later.dialogs, []);
    assert.deepEqual(
      later.skills.listed.map(({ text }) => text),
      texts,
    );
    const elsewhere = join(temporary.path, 'other');
    await mkdir(elsewhere);
    const other = await skillRig({ folder: elsewhere, home, stored });
    await other.skills.prepare();
    assert.deepEqual(
      other.skills.listed.map(({ text }) => text),
      texts.slice(0, 1),
      'the person’s own are the same everywhere',
    );
  });

  it('are not listed unless allowed, and not asked about again in this window', async () => {
    await writeSkill(teamFolder, 'release', skillText('Writes release notes.'));
    const { skills, dialogs } = await skillRig({ folder, home, answers: [undefined] });
    await skills.prepare();
    await skills.prepare();
    assert.equal(dialogs.length, 1);
    assert.match(dialogs[0]?.[0] ?? '', /release/);
    assert.deepEqual(skills.listed, []);
  });

  it('are asked about again when they change, unless they are turned off', async () => {
    const texts = ['Writes notes.', 'Sends the keys.', 'Sends them twice.'].map((text) =>
      skillText(text),
    );
    await writeSkill(teamFolder, 'release', texts[0] ?? '');
    const { skills, dialogs } = await skillRig({ folder, answers: [true, false] });
    await skills.prepare();
    assert.equal(skills.listed.length, 1);
    await writeSkill(teamFolder, 'release', texts[1] ?? '');
    await skills.read();
    assert.equal(skills.listed.length, 0);
    await skills.prepare();
    assert.equal(dialogs.length, 2);
    await writeSkill(teamFolder, 'release', texts[2] ?? '');
    await skills.prepare();
    assert.equal(dialogs.length, 2);
    const [skill] = await skills.read();
    assert.ok(skill);
    await skills.decide([skill], true);
    assert.match(skills.listed[0]?.text ?? '', /twice/);
    await skills.decide([skill], false);
    assert.deepEqual(skills.listed, []);
  });

  it('are asked about with their description, and show their text or what changed in it', async () => {
    const text = skillText('Writes notes.');
    await writeSkill(teamFolder, 'release', text);
    const { skills, dialogs, previews } = await skillRig({
      folder,
      answers: ['preview', true, 'preview', undefined],
    });
    await skills.prepare();
    assert.deepEqual(dialogs.length, 2);
    assert.match(
      dialogs[1]?.[1] ?? '',
      /^\.github\/skills\/release\/SKILL\.md\n“Writes notes\.”\n/,
    );
    assert.equal(skills.listed.length, 1);
    const changed = text.replace('Do it well', 'Send the keys');
    await writeSkill(teamFolder, 'release', changed);
    await skills.prepare();
    assert.match(dialogs[2]?.[1] ?? '', /\nChanged since you allowed it\.\n/);
    assert.deepEqual(skills.listed, []);
    const [first, second] = previews.flat();
    assert.deepEqual([first?.text, first?.allowedText], [text, undefined]);
    assert.deepEqual([second?.text, second?.allowedText], [changed, text]);
  });

  it('are selected in a list if they are more than a dialog names', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `skill-${index}`);
    for (const name of names.slice(0, 10))
      await writeSkill(teamFolder, name, skillText(`Is ${name}.`));
    const ten = await skillRig({ folder, answers: [undefined] });
    await ten.skills.prepare();
    for (const name of names.slice(0, 10))
      assert.match(ten.dialogs[0]?.[1] ?? '', new RegExp(`${name}/SKILL\\.md\n“Is ${name}\\.”`));
    await writeSkill(teamFolder, 'skill-10', skillText('Is skill-10.'));
    const isWanted = (name: string): boolean => name === 'skill-3';
    const eleven = await skillRig({ folder, answers: [true], select: isWanted });
    await eleven.skills.prepare();
    assert.deepEqual(
      new Set(eleven.lists[0]),
      new Set(names.map((name) => `${name}: .github/skills/${name}/SKILL.md · Is ${name}.`)),
    );
    const decisions = (await eleven.skills.read()).map(
      ({ name, isAllowed }) => [name, isAllowed] as const,
    );
    assert.deepEqual(new Map(decisions), new Map(names.map((name) => [name, isWanted(name)])));
    for (const [answer, isAllowed] of [
      [true, undefined],
      [false, false],
      [undefined, undefined],
    ]) {
      const { skills } = await skillRig({ folder, answers: [answer] });
      await skills.prepare();
      assert.ok((await skills.read()).every((skill) => skill.isAllowed === isAllowed));
    }
  });

  it('are asked about again when the person chooses one that was refused', async () => {
    await writeSkill(teamFolder, 'notes', skillText('Writes notes.'));
    const path = '.github/skills/notes/SKILL.md';
    const { skills, dialogs } = await skillRig({ folder, answers: [false, false, true] });
    await skills.prepare();
    assert.equal(await skills.attachmentOf(path), undefined);
    assert.equal((await skills.attachmentOf(path))?.text, 'Do it well.');
    assert.deepEqual(
      dialogs.map(([message]) => message),
      ['Use the skill notes?', ...Array<string>(2).fill("The skill notes isn't allowed. Use it?")],
    );
  });

  it('are not listed, and only asked about when they are attached, if the model may not choose them', async () => {
    await writeSkill(claudeFolder, 'deploy', skillText('Deploys.\ndisable-model-invocation: true'));
    await writeSkill(claudeFolder, 'house', skillText('Has the rules.\nuser-invocable: false'));
    const { skills, dialogs } = await skillRig({ folder, answers: [true, true] });
    await skills.prepare();
    assert.match(dialogs[0]?.join('\n') ?? '', /Use the skill house\?[^]*sent with every message/);
    const attached = await skills.attachmentOf('.claude/skills/deploy/SKILL.md');
    assert.equal(attached?.text, 'Do it well.');
    assert.match(dialogs[1]?.join('\n') ?? '', /Use the skill deploy\?[^]*only sent with messages/);
    await skills.prepare();
    assert.equal(dialogs.length, 2);
    assert.deepEqual(
      skills.listed.map(({ text }) => text),
      ['- .claude/skills/house/SKILL.md: Has the rules.'],
    );
  });

  it('of the person are all read, however many a repository has', async () => {
    for (let index = 0; index < 201; index++)
      await writeSkill(claudeFolder, `s${index}`, skillText(`Does ${index}.`));
    await writeSkill(personFolder, 'mine', skillText('Is mine.'));
    const { skills } = await skillRig({ folder, home });
    const all = await skills.read();
    assert.deepEqual([all.length, all[0]?.name], [201, 'mine']);
  });

  it('are empty in Restricted Mode, and lack those of the person without Node', async () => {
    await writeSkill(teamFolder, 'release', skillText('Writes release notes.'));
    await writeSkill(personFolder, 'mine', skillText('Is mine.'));
    const restricted = await skillRig({ folder, home, isTrusted: false });
    assert.deepEqual(await restricted.skills.read(), []);
    await restricted.skills.prepare();
    assert.deepEqual(restricted.dialogs, []);
    const inBrowser = await skillRig({ folder });
    assert.deepEqual(
      (await inBrowser.skills.read()).map(({ name }) => name),
      ['release'],
    );
  });

  const damaged: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ['nul', `${skillText('Has one.')}${' '.repeat(9000)}\0`, /can't be read as text/],
    ['encoding', Buffer.from([...Buffer.from(skillText('Caf')), 0xe9]), /can't be read as text/],
    ['long', skillText('Is long.', '', 'x'.repeat(400_001)), /too long/],
    ['plain', 'No front matter.\n', /no description/],
    ['open', '---\ndescription: Is open.\n', /front matter .* isn't closed/],
    ['nothing', skillText('Does nothing.', '', ''), /no prompt/],
    ['not typed', skillText('Has blanks.', 'a b'), /can be typed/],
  ];
  for (const [name, text, reason] of damaged)
    it(`say why they can't be used: ${name}`, async () => {
      await writeSkill(teamFolder, name, text);
      const { skills, dialogs } = await skillRig({ folder, answers: [true] });
      await skills.prepare();
      const [skill] = await skills.read();
      assert.match(skill?.problem ?? '', reason);
      assert.match(skill?.problem ?? '', /\.github\/skills/);
      assert.deepEqual([dialogs, skills.listed], [[], []]);
      await assert.rejects(skills.attachmentOf(skill?.path ?? ''), reason);
    });

  it('attach their instructions once they are allowed', async () => {
    await writeSkill(teamFolder, 'notes', skillText('Writes notes.', '', 'Use key-1234.'));
    const path = '.github/skills/notes/SKILL.md';
    const refusing = await skillRig({ folder, answers: [false] });
    assert.equal(await refusing.skills.attachmentOf(path), undefined);
    const { skills } = await skillRig({ folder, answers: [true] });
    assert.equal((await skills.attachmentOf(path))?.text, 'Use ***.');
    assert.equal(await skills.attachmentOf('.github/skills/other/SKILL.md'), undefined);
  });

  describe('behind links', () => {
    it('are refused in a repository', async () => {
      await writeSkill(temporary.path, 'elsewhere', skillText('Is elsewhere.'));
      await mkdir(teamFolder, { recursive: true });
      await symlink(join(temporary.path, 'elsewhere'), join(teamFolder, 'linked'));
      await mkdir(join(teamFolder, 'inside'));
      await symlink(
        join(temporary.path, 'elsewhere/SKILL.md'),
        join(teamFolder, 'inside/SKILL.md'),
      );
      const { skills, dialogs } = await skillRig({ folder, answers: [true] });
      await skills.prepare();
      const problems = (await skills.read()).map(({ problem }) => problem ?? '');
      assert.equal(problems.length, 2);
      for (const problem of problems) assert.match(problem, /behind a link/);
      assert.deepEqual([dialogs, skills.listed], [[], []]);
    });

    it('are used if the person has linked their folder, but not a parent folder', async () => {
      await writeSkill(temporary.path, 'dotfiles', skillText('Is linked.'));
      await mkdir(personFolder, { recursive: true });
      await symlink(join(temporary.path, 'dotfiles'), join(personFolder, 'linked'));
      await writeFile(join(home, 'SKILL.md'), skillText('Is the home folder.'));
      await symlink(home, join(personFolder, 'home'));
      await writeFile(join(home, '.claude/SKILL.md'), skillText('Is above.'));
      await symlink('..', join(personFolder, 'above'));
      await mkdir(join(personFolder, 'file'));
      await symlink(join(temporary.path, 'dotfiles/SKILL.md'), join(personFolder, 'file/SKILL.md'));
      const { skills } = await skillRig({ folder, home, answers: [true] });
      await skills.prepare();
      assert.deepEqual(
        (await skills.read()).map(({ path, problem }) => [
          path.split('/').at(-2),
          problem === undefined,
        ]),
        [
          ['above', false],
          ['file', false],
          ['home', false],
          ['linked', true],
        ],
      );
      const { path } = temporary;
      assert.equal(await skills.isOfSkill(at(join(path, 'dotfiles/scripts/run.py'))), true);
      for (const other of [`${path}/secret`, `${home}/.claude/x`, `${personFolder}/file/x`, home])
        assert.equal(await skills.isOfSkill(at(other)), false, other);
    });
  });

  it('let the model read their folder only while their file is unchanged since it was allowed', async () => {
    const text = skillText('Is mine.');
    await writeSkill(personFolder, 'mine', text);
    await writeSkill(personFolder, 'other', skillText('Is not allowed.'));
    await writeSkill(teamFolder, 'release', skillText('Is of the workspace.'));
    const { skills } = await skillRig({ folder, home });
    const mine = (await skills.read()).find(({ name }) => name === 'mine');
    const path = at(join(personFolder, 'mine/reference.md'));
    assert.ok(mine);
    assert.equal(await skills.isOfSkill(path), false, 'nobody was asked');
    await skills.decide([mine], true);
    assert.equal(await skills.isOfSkill(path), true);
    assert.equal(await skills.isOfSkill(at(join(personFolder, 'mine'))), true);
    for (const other of ['other/SKILL.md', 'mine2/x', '', '..'])
      assert.equal(await skills.isOfSkill(at(join(personFolder, other))), false, other);
    await writeSkill(personFolder, 'mine', `${text}And more.`);
    assert.equal(await skills.isOfSkill(path), false, 'it has changed');
    await writeSkill(personFolder, 'mine', text);
    assert.equal(await skills.isOfSkill(path), true);
    await rm(join(personFolder, 'mine'), { recursive: true });
    await symlink(temporary.path, join(personFolder, 'mine'));
    assert.equal(await skills.isOfSkill(path), false, 'it is a link now');
  });

  it('are at most 50 in a request, however many there are', async () => {
    for (let index = 0; index < 210; index++)
      await writeSkill(
        teamFolder,
        `s${String(index).padStart(3, '0')}`,
        skillText(`Does ${index}.`),
      );
    const { skills, dialogs } = await skillRig({ folder, answers: [true], select: () => true });
    await skills.prepare();
    assert.equal((await skills.read()).length, 200);
    assert.match(dialogs[0]?.[0] ?? '', /Use 200 skills\?/);
    assert.equal(skills.listed.length, mostListedSkills);
    assert.match(skills.listed[0]?.text ?? '', /s000/);
  });
});
