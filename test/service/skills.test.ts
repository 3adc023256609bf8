import assert from 'node:assert/strict';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { partKey } from '../../src/core/conversation/partChoices.ts';
import type { CompletionRequest } from '../../src/core/service/wire.ts';
import { mostSkillTokens } from '../../src/core/turn/instructionScope.ts';
import type { Skills } from '../../src/host/context/skills.ts';
import { joinedParts } from '../support/joinedParts.ts';
import { runs } from '../support/sample.ts';
import { skillRig, skillText, writeSkill } from '../support/skillRig.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { look, toolRig, type ToolRig } from '../support/toolTurn.ts';

const model = 'mistral/mistral-small';
const question = { text: 'Go on.', attachments: [] };
const readFile = {
  ...look,
  name: 'read_file',
  definition: { ...look.definition, function: { ...look.definition.function, name: 'read_file' } },
};

function chatWith(skills: Skills, list = [readFile]): ToolRig {
  return toolRig({
    list,
    prepare: () => skills.prepare(),
    settings: () => ({
      instructions: 'Be kind.',
      stream: true,
      options: {},
      files: [{ path: 'AGENTS.md', text: 'Use tabs.' }],
      skills: skills.listed,
    }),
  });
}

/** Pieces of the message with instructions and skills. */
function piecesOf(request: CompletionRequest | undefined): readonly string[] {
  return request?.messages[1]?.content?.split('\n\n') ?? [];
}

describe('skills in requests', () => {
  let temporary: TemporaryFolder;
  before(async () => (temporary = await TemporaryFolder.create()));
  after(() => temporary.dispose());

  let count = 0;
  async function folderWith(names: readonly string[]): Promise<string> {
    const folder = join(temporary.path, `w${count++}`);
    await mkdir(folder);
    for (const name of names)
      await writeSkill(
        join(folder, '.github/skills'),
        name,
        skillText(
          `Is for ${name}: ${'does what is asked for, '.repeat(30)}`,
          '',
          `Body of ${name}.`,
        ),
      );
    return folder;
  }

  it('are only the allowed ones, with at most 60 tokens each', async () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', '-'),
      minLength: 1,
      maxLength: 12,
    });
    const skill = fc.tuple(
      name.map((end) => `s${end}`),
      fc.constantFrom(true, false, undefined),
    );
    const several = fc.uniqueArray(skill, { selector: ([key]) => key, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(several, async (chosen) => {
        const folder = await folderWith(chosen.map(([key]) => key));
        const { skills } = await skillRig({ folder });
        for (const known of await skills.read()) {
          const isAllowed = chosen.find(([key]) => key === known.name)?.[1];
          if (isAllowed !== undefined) await skills.decide([known], isAllowed);
        }
        const { ask, requests } = chatWith(skills);
        await ask();
        const [request] = requests();
        const wire = JSON.stringify(request);
        const allowed = chosen.filter(([, isAllowed]) => isAllowed).map(([key]) => key);
        const lines = piecesOf(request).filter((piece) => piece.startsWith('- '));
        assert.deepEqual(
          lines.map((line) => /skills\/(.*)\/SKILL\.md/.exec(line)?.[1]),
          allowed.toSorted(),
        );
        for (const line of lines) assert.ok(countTokens(`${line}\n\n`) <= mostSkillTokens, line);
        assert.doesNotMatch(wire, /Body of/);
        assert.equal(wire.includes('allows these skills'), allowed.length > 0);
        assert.doesNotMatch(request?.messages[0]?.content ?? '', /skill/i);
      }),
      { seed: 3, numRuns: runs(25) },
    );
  });

  it('change a request only where they are added, before files that are added later', async () => {
    const folder = await folderWith(['b', 'd']);
    const { skills } = await skillRig({ folder, answers: [true, true] });
    const { ask, requests } = chatWith(skills);
    await ask();
    await writeSkill(join(folder, '.github/skills'), 'c', skillText('Is new.'));
    await ask();
    const [before = [], after = []] = requests().map(piecesOf);
    assert.deepEqual(after.toSpliced(2, 1), before);
    assert.match(after[2] ?? '', /skills\/c\/SKILL/);
    assert.match(after.at(-2) ?? '', /Use tabs/);
    assert.deepEqual(requests()[0]?.messages[0], requests()[1]?.messages[0]);
  });

  it('are not listed if the model cannot read them', async () => {
    const folder = await folderWith(['a']);
    const { skills } = await skillRig({ folder, answers: [true] });
    const other = chatWith(skills, [look]);
    await other.ask();
    assert.doesNotMatch(JSON.stringify(other.requests()), /SKILL/);
    const { chat, ask, requests } = chatWith(skills);
    chat.setMode('chat');
    await ask();
    assert.doesNotMatch(JSON.stringify(requests()), /SKILL/);
    chat.setMode('agent');
    chat.chooseParts([partKey.tool('read_file')], 'left-out');
    await ask();
    assert.doesNotMatch(JSON.stringify(requests()), /SKILL/);
  });

  it('are parts of the next request, which the person can exclude', async () => {
    const folder = await folderWith(['a', 'b']);
    const { skills } = await skillRig({ folder, answers: [true] });
    const { chat, ask, requests } = chatWith(skills);
    await chat.planRequest(question, model);
    const paths = ['a', 'b'].map((name) => `.github/skills/${name}/SKILL.md`);
    const plan = await chat.planRequest(question, model);
    const listed = plan.listed.filter(({ part }) => part.name.endsWith('SKILL.md'));
    assert.deepEqual(
      listed.map(({ part, key }) => [part.name, key]),
      paths.map((path) => [path, partKey.file(path)]),
    );
    assert.ok(listed.every(({ part }) => part.characters > 20));
    assert.deepEqual(
      Object.entries(joinedParts(plan.parts)).find(([key]) => key === 'messages')?.[1],
      plan.request.messages,
    );
    chat.chooseParts([partKey.file(paths[0] ?? '')], 'left-out');
    await ask();
    const wire = JSON.stringify(requests().at(-1));
    assert.ok(!wire.includes('skills/a/') && wire.includes('skills/b/'));
    chat.chooseParts(paths.map(partKey.file), 'left-out');
    const none = await chat.planRequest(question, model);
    const kinds = none.listed.map(({ part, unsent }) => [part.name, part.id, unsent]);
    assert.deepEqual(
      kinds.filter(([name, id]) => id === 'skills' || name?.endsWith('.md')),
      [
        ['', 'skills', 'left-out'],
        ...paths.map((path) => [path, '', 'left-out']),
        ['AGENTS.md', '', undefined],
      ],
    );
  });
});
