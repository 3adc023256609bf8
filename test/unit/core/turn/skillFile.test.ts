import assert from 'node:assert/strict';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { parseSkill } from '../../../../src/core/turn/skillFile.ts';
import { listedSkill, mostSkillTokens } from '../../../../src/core/turn/skillLine.ts';
import { skillText } from '../../../support/skillRig.ts';

describe('the file of a skill', () => {
  it('has a name that can be typed: its own, or that of its folder', () => {
    const cases: readonly (readonly [folder: string, name: string, used: string | undefined])[] = [
      ['notes', '', 'notes'],
      ['notes', 'release', 'release'],
      ['Release Notes', 'release', 'release'],
      ['hook-development', 'Hook Development', 'hook-development'],
      ['deploy', '"team:deploy"', 'deploy'],
      ['deploy', '/deploy', 'deploy'],
      ['deploy', '"@team/deploy"', 'deploy'],
      ['deploy', '[deploy, ship]', 'deploy'],
      ['deploy', 'x'.repeat(65), 'deploy'],
      ['fix', 'fix\u200b', 'fix'],
      ['review', 'f\u0456x', 'review'],
      ['up', '../x', 'up'],
      ['a b', 'c d', undefined],
      ['f\u0456x', 'c d', undefined],
    ];
    for (const [folder, name, used] of cases) {
      const parsed = parseSkill(folder, skillText('Writes.', name));
      const expected =
        used === undefined
          ? { problem: 'skill name' }
          : { name: used, description: 'Writes.', body: 'Do it well.' };
      assert.deepEqual(parsed, expected, `${folder} ${name}`);
    }
  });

  const long = 19_000;
  const hostile: readonly (readonly [what: string, frontMatter: string])[] = [
    ['a block of many lines', `description: |\n${'a\n'.repeat(long / 2)}`],
    ['a list of many items', `description:\n${'- a\n'.repeat(long / 4)}`],
    ['an anchor, which is none', 'description: &a *b\n'],
    ['an open quotation', `description: '${"''".repeat(long / 2)}x\n`],
    ['many hidden characters', `description: ${'\u{200b}'.repeat(long / 3)}x\n`],
    ['a tower of marks', `description: e${'\u0301'.repeat(long / 2)}\n`],
  ];
  for (const [what, frontMatter] of hostile)
    it(`is read in linear time and shortened: ${what}`, () => {
      const parsed = parseSkill('notes', `---\n${frontMatter}---\nDo it.`);
      assert.ok('description' in parsed);
      assert.ok(parsed.description.length <= 2100);
      const { text } = listedSkill('notes/SKILL.md', parsed.description);
      assert.ok(countTokens(`${text}\n\n`) <= mostSkillTokens, text);
    }).timeout(5000);

  it('shows invisible characters of its description', () => {
    const parsed = parseSkill('notes', skillText('Writes\u200b notes.\u202e'));
    assert.equal('name' in parsed && parsed.description, 'Writes\\u{200b} notes.\\u{202e}');
  });
});
