import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import * as z from 'zod/mini';
import {
  chatViewId,
  commandIds,
  commands,
  contextKeys,
  editors,
  reviewCommentController,
  settingIds,
  titleCommandId,
  titleCommands,
  viewContainer,
  walkthrough,
} from '../../../src/host/contributions.ts';

const root = new URL('../../../', import.meta.url);
const manifestText = readFileSync(new URL('package.json', root), 'utf8');

const when = z.looseObject({
  when: z.optional(z.string()),
  command: z.optional(z.string()),
  submenu: z.optional(z.string()),
  group: z.optional(z.string()),
});
const pictures = z.strictObject({
  dark: z.string(),
  light: z.string(),
  hc: z.string(),
  hcLight: z.string(),
});
const containers = z.array(z.object({ id: z.string() }));
const manifest = z
  .object({
    name: z.literal('aside'),
    publisher: z.literal('aside-chat'),
    engines: z.object({ vscode: z.literal('^1.106.0') }),
    activationEvents: z.tuple([z.literal('onStartupFinished')]),
    enabledApiProposals: z.optional(z.undefined()),
    capabilities: z.object({
      untrustedWorkspaces: z.object({
        supported: z.literal('limited'),
        restrictedConfigurations: z.array(z.string()),
      }),
      virtualWorkspaces: z.object({ supported: z.literal('limited') }),
    }),
    contributes: z.object({
      commands: z.array(
        z.object({
          command: z.string(),
          title: z.string(),
          category: z.string(),
          enablement: z.optional(z.string()),
        }),
      ),
      configuration: z.object({
        properties: z.record(
          z.string(),
          z.looseObject({ scope: z.string(), default: z.unknown() }),
        ),
      }),
      viewsContainers: z.strictObject({ activitybar: containers }),
      views: z.record(z.string(), z.array(z.object({ type: z.string(), id: z.string() }))),
      menus: z.record(z.string(), z.array(when)),
      keybindings: z.array(when),
      walkthroughs: z.array(
        z.object({
          id: z.string(),
          steps: z.array(
            z.object({
              id: z.string(),
              title: z.string(),
              description: z.string(),
              media: z.object({ image: pictures, altText: z.string() }),
              completionEvents: z.array(z.string()),
            }),
          ),
        }),
      ),
    }),
  })
  .parse(JSON.parse(manifestText));
const { capabilities, contributes } = manifest;
const settings = contributes.configuration.properties;

const steps = contributes.walkthroughs.flatMap((entry) => entry.steps);
const completionEvents = steps.flatMap((step) => step.completionEvents);

/** The argument of a completion event, if it is of this kind. */
function eventOf(event: string, kind: string): string | undefined {
  return event.startsWith(`${kind}:`) ? event.slice(kind.length + 1) : undefined;
}

function assertSame(actual: Iterable<string>, expected: Iterable<string>): void {
  assert.deepEqual([...actual].sort(), [...expected].sort());
}

const words = z
  .record(z.string(), z.string().check(z.minLength(1)))
  .parse(JSON.parse(readFileSync(new URL('package.nls.json', root), 'utf8')));

const ofTitle = titleCommands.map((name) => titleCommandId(name));
const inTitle = (contributes.menus['view/title'] ?? []).filter(
  (item) => item.when === `view == ${chatViewId}`,
);

describe('package.json', () => {
  it('contributes the commands of the typed list, in the category Aside', () => {
    const contributed = contributes.commands.map(({ command }) => command);
    assertSame(contributed, [...commandIds(), ...ofTitle]);
    assert.deepEqual(
      new Set(contributes.commands.map((command) => command.category)),
      new Set(['Aside']),
    );
  });

  it('offers commands that change or read a workspace automatically only if it is trusted', () => {
    const offered = contributes.commands.filter(
      ({ enablement }) => enablement === 'isWorkspaceTrusted',
    );
    assertSame(
      offered.map(({ command }) => command.replace(/^aside\./, '')),
      [
        'fix',
        'improve',
        'edit',
        'document',
        'writeTests',
        'writeCommitMessage',
        'reviewChanges',
        'fixReviewComment',
        'explainTerminal',
        'explainLastCommand',
        'manageTools',
      ],
    );
  });

  it('names each command after its key', () => {
    for (const [name, id] of Object.entries(commands)) assert.equal(id, `aside.${name}`);
    for (const [name, id] of Object.entries(settingIds)) assert.equal(id, `aside.${name}`);
  });

  it('contributes the settings of the typed list', () => {
    assertSame(Object.keys(settings), Object.values(settingIds));
  });

  it('contributes one view and its container', () => {
    assert.deepEqual(contributes.viewsContainers, { activitybar: [{ id: viewContainer }] });
    assert.deepEqual(contributes.views, { [viewContainer]: [{ type: 'webview', id: chatViewId }] });
  });

  it('has separate commands in the title of the view, and nowhere else', () => {
    const titleIds = new Set(inTitle.map(({ command }) => command));
    for (const id of ofTitle) assert.ok(titleIds.has(id), id);
    for (const name of titleCommands) assert.equal(titleIds.has(commands[name]), false, name);
  });

  it('has two icons in the title of the view, and at most ten entries behind them', () => {
    const ids = (isIcon: boolean): readonly (string | undefined)[] =>
      inTitle
        .filter(({ group }) => group?.startsWith('navigation') === isIcon)
        .map(({ command }) => command);
    assert.deepEqual(ids(true), [titleCommandId('newChat'), titleCommandId('openChat')]);
    const behind = [
      commands.manageConnection,
      titleCommandId('showRequest'),
      titleCommandId('shortenChat'),
      titleCommandId('exportChat'),
      commands.importChat,
      commands.manageTools,
      commands.showUsage,
      commands.setBudget,
      commands.openWalkthrough,
      commands.help,
    ];
    assert.deepEqual(ids(false), behind);
  });

  it('counts the entries of its other menus', () => {
    const decided: Readonly<Record<string, number>> = {
      'editor/context': 1,
      'explorer/context': 1,
      'notebook/cell/title': 1,
      'editor/title': 7,
      'editor/title/context': 1,
      'scm/title': 3,
      'comments/commentThread/title': 5,
      'scm/resourceState/context': 1,
      'scm/resourceFolder/context': 1,
      'scm/resourceGroup/context': 1,
      'testing/message/context': 1,
      'terminal/context': 2,
      'aside.editor': 7,
      'aside.test': 2,
    };
    const counted = Object.entries(contributes.menus)
      .filter(([menu]) => menu !== 'view/title' && menu !== 'commandPalette')
      .map(([menu, items]) => [menu, items.length]);
    assert.deepEqual(Object.fromEntries(counted), decided);
  });

  it('puts only contributed commands into menus, and on keys only these and the focus', () => {
    const known = new Set<string>([...commandIds(), ...ofTitle, `${chatViewId}.focus`]);
    const used = [...Object.values(contributes.menus).flat(), ...contributes.keybindings];
    for (const { command } of used) assert.ok(command === undefined || known.has(command), command);
  });

  it('lists only applicable commands in the palette', () => {
    const items = contributes.menus['commandPalette'] ?? [];
    const listed = items.flatMap(({ command = '', when: clause = '' }): [string, string][] =>
      clause === 'false' ? [] : [[command.replace(/^aside\./, ''), clause]],
    );
    assert.equal(new Map(listed).size, listed.length);
    const codeOpen = 'editorLangId || notebookType || textCompareEditorActive';
    const chatOpen = 'aside.hasChat';
    const expected = {
      setApiKey: 'config.aside.baseUrl',
      removeApiKey: 'config.aside.baseUrl',
      renameChat: chatOpen,
      pinChat: chatOpen,
      copyChat: chatOpen,
      forkChat: chatOpen,
      exportChat: chatOpen,
      deleteChat: chatOpen,
      shortenChat: chatOpen,
      stop: 'aside.running',
      stopAll: 'aside.requestsRunning',
      retry: 'aside.hasChat && !aside.running',
      explain: codeOpen,
      fix: codeOpen,
      improve: codeOpen,
      document: codeOpen,
      edit: codeOpen,
      writeTests: codeOpen,
      addToChat: 'editorIsOpen',
      acceptEdit: 'aside.reviewOpen',
      rejectEdit: 'aside.reviewOpen || aside.reviewStreaming',
      retryEdit: 'aside.editRejected',
      allowEdit: 'aside.reviewOfCall',
      denyEdit: 'aside.reviewOfCall',
      writeCommitMessage: 'gitOpenRepositoryCount > 0 && !aside.writingCommitMessage',
      stopCommitMessage: 'aside.writingCommitMessage',
      reviewChanges: 'gitOpenRepositoryCount > 0',
      explainTerminal: 'terminalProcessSupported && terminalCount > 0',
      deleteReviewComments: 'aside.hasReviewComments',
    };
    assert.deepEqual(Object.fromEntries(listed), expected);
  });

  it('hides commands from the palette that need a comment, a view or the usage page, and no others', () => {
    const { menus } = contributes;
    const onComments = (menus['comments/commentThread/title'] ?? []).map(({ command }) => command);
    assert.ok(onComments.length > 0);
    const hidden = menus['commandPalette']?.filter(({ when: clause }) => clause === 'false') ?? [];
    assertSame(
      hidden.map(({ command }) => command ?? ''),
      [
        ...onComments.map((command = '') => command),
        ...ofTitle,
        // The usage page has buttons for these.
        ...[commands.resetUsage, commands.exportUsage, commands.deleteUsage],
        // Explain Terminal Selection explains it if nothing is selected.
        commands.explainLastCommand,
      ],
    );
  });

  it('opens the chat from anywhere', () => {
    const doors: Readonly<Record<string, readonly string[]>> = {
      'explorer/context': [commands.addToChat],
      'editor/title/context': [commands.addToChat],
      'scm/resourceState/context': [commands.addToChat],
      'scm/resourceFolder/context': [commands.addToChat],
      'scm/resourceGroup/context': [commands.addToChat],
      'terminal/context': [commands.explainTerminal, commands.explainLastCommand],
      'testing/message/context': ['aside.test'],
      'aside.test': ['aside.explain', 'aside.fix'],
    };
    for (const [menu, expected] of Object.entries(doors)) {
      const items = contributes.menus[menu] ?? [];
      assertSame(
        items.map(({ command, submenu = '' }) => command ?? submenu),
        expected,
      );
    }
  });

  it('binds keys only where they apply, except for the one that opens the chat', () => {
    const everywhere = contributes.keybindings.filter(
      (keybinding) => keybinding.when === undefined,
    );
    assert.deepEqual(
      everywhere.map(({ command }) => command),
      [`${chatViewId}.focus`],
    );
  });

  it('reads only context keys and settings of the typed lists', () => {
    const known = new Set<string>([
      ...Object.values(contextKeys),
      chatViewId,
      ...Object.values(editors),
      reviewCommentController,
      ...Object.values(settingIds).map((id) => `config.${id}`),
    ]);
    const clauses = manifestText.matchAll(/"(?:when|enablement)": "([^"]*)"/g);
    const conditions = completionEvents.map((event) => eventOf(event, 'onContext'));
    const read = [...[...clauses].map(([, clause]) => clause), ...conditions].flatMap(
      (clause) => clause?.match(/\b(?:config\.)?aside\.[\w.]+/g) ?? [],
    );
    assert.ok(read.length > 0);
    for (const key of read) assert.ok(known.has(key), key);
  });

  it('protects settings that a repository could misuse', () => {
    const inWindow = [
      'model',
      'temperature',
      'topP',
      'maxTokens',
      'stop',
      'stream',
      'tools.enabled',
    ];
    for (const [id, { scope }] of Object.entries(settings)) {
      const expected = inWindow.includes(id.slice('aside.'.length)) ? 'window' : 'application';
      assert.equal(scope, expected, id);
    }
    assertSame(
      capabilities.untrustedWorkspaces.restrictedConfigurations,
      Object.values(settingIds),
    );
  });

  it('contributes the walkthrough of the typed list, with steps that can be completed', () => {
    const contributed = contributes.walkthroughs.map((entry) => entry.id);
    assert.deepEqual(contributed, [walkthrough.id]);
    assert.deepEqual(
      steps.map(({ id }) => id),
      walkthrough.steps,
    );
    const known = {
      onCommand: new Set<string>(commandIds()),
      onSettingChanged: new Set<string>(Object.values(settingIds)),
      onContext: undefined,
    };
    for (const { id, completionEvents: events } of steps) {
      assert.ok(events.length > 0, id);
      // VS Code never completes a step whose only condition is true before it reads the
      // walkthrough.
      const conditions = events.flatMap((event) => eventOf(event, 'onContext') ?? []);
      const key = conditions[0] ?? '';
      for (const round of ['1', '2', '3'])
        assert.ok(conditions.includes(`${key} && ${contextKeys.walkthroughRound} == ${round}`), id);
      for (const event of events) {
        const [kind = '', about = ''] = event.split(/:(.*)/);
        assert.ok(kind in known, event);
        if (kind === 'onCommand' || kind === 'onSettingChanged')
          assert.ok(known[kind].has(about), event);
      }
    }
  });

  it('links in the walkthrough to its own commands and to few of VS Code', () => {
    const known = new Set<string>([...commandIds(), 'toSide:workbench.action.quickOpen']);
    for (const { id, description } of steps) {
      const text = words[description.replaceAll('%', '')] ?? '';
      const links = [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, link = '']) => link);
      assert.ok(links.length > 0, id);
      for (const link of links) assert.ok(known.has(link.replace(/^command:/, '')), link);
    }
  });

  it('has small pictures of the walkthrough, two for each step and no others', () => {
    const folder = new URL('media/walkthrough/', root);
    const files = readdirSync(folder);
    const pathOf = (name: string): string => `media/walkthrough/${name}.webp`;
    for (const { id, media } of steps) {
      const [dark, light] = [pathOf(id), pathOf(`${id}-light`)];
      assert.deepEqual(media.image, { dark, light, hc: dark, hcLight: light });
    }
    assertSame(
      files.map((file) => `media/walkthrough/${file}`),
      steps.flatMap(({ id }) => [pathOf(id), pathOf(`${id}-light`)]),
    );
    const sizes = files.map((file) => statSync(new URL(file, folder)).size);
    assert.ok(Math.max(...sizes) <= 10_000, String(sizes));
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= 75_000, String(sizes));
  });

  it('has texts for every key, and no others', () => {
    const used = [...manifestText.matchAll(/"%([^"%]+)%"/g)].flatMap(([, key]) => key ?? []);
    assertSame(new Set(used), Object.keys(words));
  });

  it('has the pictures that it refers to', () => {
    for (const [, path] of manifestText.matchAll(/"(media\/[^"*]+)"/g)) {
      assert.ok(readFileSync(new URL(path ?? '', root)).length > 0);
    }
  });
});
