import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { codeCommandOffers, codeCommands } from '../../../src/core/code/codeCommands.ts';
import { codeCommandId } from '../../../src/host/contributions.ts';

const menuItem = z.object({ command: z.optional(z.string()), when: z.optional(z.string()) });
const manifest = z.object({
  contributes: z.object({
    commands: z.array(
      z.object({ command: z.string(), title: z.string(), enablement: z.optional(z.string()) }),
    ),
    menus: z.object({ commandPalette: z.array(menuItem), 'aside.editor': z.array(menuItem) }),
  }),
});
const { commands, menus } = manifest.parse(read('package.json')).contributes;
const words = z.record(z.string(), z.string()).parse(read('package.nls.json'));
const english = { t: (message: string): string => message };

function read(file: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8'));
}

/** Looks up a `%title%` of `package.json` in `package.nls.json`. */
function titleOf(title: string): string | undefined {
  return words[title.replaceAll('%', '')];
}

describe('the commands on code', () => {
  for (const { name, onProblem, onSymbol } of codeCommandOffers) {
    const { title, result, instruction, problemInstruction } = codeCommands[name];
    const id = codeCommandId(name);
    const contributed = commands.find(({ command }) => command === id);

    it(`contribute ${id} with its title, if its result is allowed there`, () => {
      assert.ok(contributed, 'It is not in package.json.');
      assert.equal(titleOf(contributed.title), title);
      assert.equal(contributed.enablement, result === 'chat' ? undefined : 'isWorkspaceTrusted');
    });

    it(`offer ${id} in the editor's menu, and in the palette with an active editor`, () => {
      assert.ok(menus['aside.editor'].some(({ command }) => command === id));
      const inPalette = menus.commandPalette.find(({ command }) => command === id);
      const isCodeOpen = 'editorLangId || notebookType || textCompareEditorActive';
      assert.equal(inPalette?.when, isCodeOpen);
    });

    it(`send a whole sentence for ${id}, or ask the person`, () => {
      for (const task of [instruction, problemInstruction ?? instruction]) {
        assert.match(task(english), name === 'edit' ? /^$/ : /^[A-Z].*\.$/);
      }
    });

    it(`name ${id} in the light bulb as in the palette`, () => {
      for (const label of [onProblem, onSymbol]) {
        if (label !== undefined) assert.equal(label(english), `${title} with Aside`);
      }
    });
  }

  it('offer a fix of a problem before its explanation', () => {
    const offered = codeCommandOffers.filter(({ onProblem }) => onProblem !== undefined);
    assert.deepEqual(
      offered.map(({ name }) => name),
      ['fix', 'explain'],
    );
  });

  it("are all in Aside's editor menu, besides Add to Chat", () => {
    const inMenu = menus['aside.editor'].map(({ command }) => command ?? '');
    const declared = codeCommandOffers.map(({ name }) => codeCommandId(name));
    assert.deepEqual(inMenu.toSorted(), [...declared, 'aside.addToChat'].toSorted());
  });
});
