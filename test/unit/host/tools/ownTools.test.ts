import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { findToolsName } from '../../../../src/core/tools/findTools.ts';
import type { Tool } from '../../../../src/core/tools/tool.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { ownToolsHere } from '../../../support/readToolsHere.ts';

const { commandsProblem } = await withoutVsCode(
  () => import('../../../../src/host/tools/runCommand.ts'),
);
const { ownToolNames } = await withoutVsCode(() => import('../../../../src/host/tools/tools.ts'));

describe('the tools of Aside', () => {
  let tools: readonly Tool[];
  before(async () => {
    tools = await ownToolsHere();
  });

  it('have icons that exist', () => {
    const css = import.meta.resolve('@vscode/codicons/dist/codicon.css');
    const rules = readFileSync(new URL(css), 'utf8');
    for (const { icon, name } of tools) {
      assert.ok(rules.includes(`\n.codicon-${icon}:before {`), `${name}: no codicon ${icon}`);
    }
  });

  it('have the names that are kept from other tools', () => {
    const names = tools.map(({ name }) => name);
    assert.deepEqual([findToolsName, ...names], ownToolNames);
  });

  it('lack commands, with a reason, without Node or a disk', () => {
    const at = (scheme: string) => ({
      name: '',
      location: { scheme, authority: '', path: '/work' },
    });
    assert.equal(commandsProblem(true, []), undefined);
    assert.equal(commandsProblem(true, [at('file')]), undefined);
    assert.equal(commandsProblem(true, [at('memfs'), at('file')]), undefined);
    assert.match(commandsProblem(true, [at('memfs')]) ?? '', /virtual workspace/);
    for (const folders of [[], [at('memfs')], [at('file')]]) {
      assert.match(commandsProblem(false, folders) ?? '', /desktop or in a remote window/);
    }
  });
});
