import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import type { SendEstimate } from '../../../../src/host/connection/comparedModelsPick.ts';
import { OfferedModels } from '../../../../src/host/connection/offeredModels.ts';
import { readSettings } from '../../../../src/host/settingValues.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { baseUrl, ConnectionRig, origin } from './rig.ts';

interface Item {
  readonly model?: string;
}

/** The visible quick pick. */
interface VisiblePick {
  readonly title: string;
  readonly canSelectMany: boolean;
  readonly items: readonly Item[];
  readonly selectedItems: readonly Item[];
  /** Selects exactly these items. */
  select(items: readonly Item[]): void;
  accept(): void;
  hide(): void;
}
const pickSchema = z.custom<VisiblePick>();
const shownLists = z.array(pickSchema);

const [{ ComparedModelsPick }, vscode] = await withFakeVsCode(
  `
  export const l10n = { t: (text, ...given) => text.replace(/\\{(\\d+)\\}/g, (all, at) => given[at] ?? all) };
  export const env = { language: 'en' };
  export const QuickPickItemKind = { Separator: -1 };
  export const picks = [];
  export const warnings = [];
  export const window = {
    showWarningMessage: (text) => { warnings.push(text); },
    createQuickPick() {
      const on = (name) => function (listener) { this[name] = listener; return { dispose() {} }; };
      const pick = {
        items: [], selectedItems: [],
        onDidChangeSelection: on('changed'), onDidAccept: on('accepted'), onDidHide: on('hidden'),
        select(items) { this.selectedItems = items; this.changed(items); },
        accept() { this.accepted(); },
        show() {}, hide() { this.hidden(); }, dispose() {},
      };
      picks.push(pick);
      return pick;
    },
  };`,
  () =>
    Promise.all([
      import('../../../../src/host/connection/comparedModelsPick.ts'),
      import('vscode'),
    ]),
);

const settings = readSettings(
  () => ({}),
  () => undefined,
);

const endpoint = { baseUrl, origin, host: 'api.example.com', apiKey: 'k', demo: false, fetch };
const models = ['a/1', 'a/2', 'b/3', 'b/4'];

/** Opens a list of four models, the second of which is in use. */
async function open(last: readonly string[] = []) {
  const { catalog } = new ConnectionRig(() => Promise.resolve([]));
  await catalog.remember(
    origin,
    models.map((id) => ({ id, ownedBy: id.slice(0, 1) })),
  );
  await catalog.noteCompared(last);
  const estimated: (readonly string[])[] = [];
  const pick = new ComparedModelsPick({
    models: new OfferedModels({
      services: [{ name: undefined, origin, host: endpoint.host, endpoint }],
      catalog,
      written: (_, id) => id,
      describe: String,
    }),
    catalog,
    settings,
    current: 'a/2',
    estimate(chosen): SendEstimate {
      estimated.push(chosen);
      return { tokens: 1000 * chosen.length, cost: chosen.length };
    },
    onError: (error) => assert.fail(String(error)),
  });
  const done = pick.show();
  const list = shownLists.parse(Reflect.get(vscode, 'picks')).at(-1);
  assert.ok(list !== undefined);
  const named = (...ids: string[]): Item[] =>
    list.items.filter(({ model }) => model !== undefined && ids.includes(model));
  return { list, done, named, estimated };
}

const idsOf = (items: readonly Item[]): (string | undefined)[] => items.map(({ model }) => model);

describe('the list of models to compare', () => {
  it('has the model in use and the last compared ones selected, three at most', async () => {
    for (const [last, selected] of [
      [[], ['a/2']],
      [['b/4'], ['a/2', 'b/4']],
      [
        ['b/4', 'a/2'],
        ['a/2', 'b/4'],
      ],
      [
        ['a/1', 'b/3', 'b/4'],
        ['a/2', 'a/1', 'b/3'],
      ],
      [['gone'], ['a/2']],
    ] as const) {
      const { list } = await open(last);
      assert.deepEqual(idsOf(list.selectedItems).toSorted(), selected.toSorted(), last.join());
      assert.equal(list.canSelectMany, true);
    }
  });

  it('explains an invalid selection, and stays open until it is valid', async () => {
    const { list, done, named } = await open();
    for (const [ids, words] of [
      [[], 'Select two or three models.'],
      [['a/1'], 'Select two or three models.'],
      [models, 'Select at most three models.'],
    ] as const) {
      list.select(named(...ids));
      assert.equal(list.title, `Compare Models: ${words}`);
      list.accept();
    }
    assert.deepEqual(Reflect.get(vscode, 'warnings'), [
      'Select two or three models.',
      'Select two or three models.',
      'Select at most three models.',
    ]);
    list.select(named('a/2', 'b/3'));
    list.accept();
    assert.deepEqual(await done, ['a/2', 'b/3']);
  });

  it('shows the total cost of sending to the selected models', async () => {
    const { list, named, estimated } = await open();
    list.select(named('a/1', 'b/3', 'a/2'));
    assert.equal(list.title, 'Compare Models: ≈3k tokens to send, ≈$3.00');
    assert.deepEqual(estimated.at(-1), ['a/2', 'a/1', 'b/3']);
  });

  it('resolves with undefined if the person closes it', async () => {
    const { list, done } = await open(['b/4']);
    list.hide();
    assert.equal(await done, undefined);
  });
});
