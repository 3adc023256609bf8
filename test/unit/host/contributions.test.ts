import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import {
  chatViewId,
  commandIds,
  contextKeys,
  editors,
  reviewCommentController,
  settingIds,
  titleCommandId,
  titleCommands,
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

  it('contributes the settings of the typed list', () => {
    assertSame(Object.keys(settings), Object.values(settingIds));
  });

  it('puts only contributed commands into menus, and on keys only these and the focus', () => {
    const known = new Set<string>([...commandIds(), ...ofTitle, `${chatViewId}.focus`]);
    const used = [...Object.values(contributes.menus).flat(), ...contributes.keybindings];
    for (const { command } of used) assert.ok(command === undefined || known.has(command), command);
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
