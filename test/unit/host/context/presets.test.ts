import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileOffer } from '../../../../src/host/context/fileOffers.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { vscodeOnDisk } from '../../../support/vscodeOnDisk.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

const reviewer =
  '---\nname: code-reviewer\ndescription: Reviews.\ntools: Read, WebFetch\nmodel: large\n---\nBe strict.\n';

describe('presets', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await TemporaryFolder.create();
  });
  afterEach(() => folder.dispose());

  it('are agents of Claude Code, too, whose choices need consent', async () => {
    await folder.put('web/.github/agents/tidy.agent.md', 'Tidy up.');
    await folder.put('web/.github/agents/other.md', reviewer);
    const file = await folder.put('web/.claude/agents/reviewer.md', reviewer);
    await folder.put('web/.claude/agents/README.md', '# Our agents');
    await symlink(file, join(folder.path, 'web/.claude/agents/linked.md'));
    const offers: FileOffer[] = [];
    const { Presets } = await withFakeVsCode(
      vscodeOnDisk(join(folder.path, 'web')),
      () => import('../../../../src/host/context/presets.ts'),
    );
    const { Uri } = await withFakeVsCode(vscodeOnDisk(folder.path), () => import('vscode'));
    const presets = new Presets(
      Uri.from({ scheme: 'file', path: join(folder.path, 'storage') }),
      {
        known: () => Promise.resolve(undefined),
        accept: (offer) => Promise.resolve({ model: offers[offers.push(offer) - 1]?.model }),
      },
      () => Promise.resolve('here'),
      (text) => text,
    );
    const [tidy, agent, ...others] = await presets.list();
    assert.deepEqual([tidy?.name, agent?.name, others.length], ['tidy', 'code-reviewer', 0]);
    assert.ok(agent);
    assert.deepEqual([agent.path, agent.tools], ['.claude/agents/reviewer.md', ['read_file']]);
    const { isOwn, workspace, path, name, text } = agent;
    const chosen = { isOwn, workspace, path, name, text, instead: 'small' };
    assert.deepEqual(presets.accepted(chosen), {});
    assert.equal(await presets.accept(chosen, 'small'), true);
    assert.deepEqual(
      offers.map((offer) => [offer.path, offer.model, offer.isOwn]),
      [['.claude/agents/reviewer.md', 'large', false]],
    );
    assert.deepEqual(presets.accepted(chosen), { model: 'large' });
    assert.deepEqual(presets.instructions(chosen), [{ path, text: 'Be strict.' }]);
    presets.dispose();
  });
});
