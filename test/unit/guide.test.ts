import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { helpText } from '../../src/host/platform/help.ts';

const root = new URL('../../', import.meta.url);

function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

const texts = z.record(z.string(), z.string());
const nls = texts.parse(JSON.parse(read('package.nls.json')));
const bundle = texts.parse(JSON.parse(read('l10n/bundle.l10n.json')));
const menuItem = z.object({ command: z.optional(z.string()), when: z.optional(z.string()) });
const packageJson: unknown = JSON.parse(read('package.json'));
const { contributes } = z
  .object({
    contributes: z.object({
      commands: z.array(z.object({ command: z.string(), title: z.string() })),
      menus: z.record(z.string(), z.array(menuItem)),
      submenus: z.array(z.object({ label: z.string() })),
      keybindings: z.array(z.object({ key: z.string(), mac: z.optional(z.string()) })),
      configuration: z.object({
        properties: z.record(z.string(), z.object({ default: z.unknown() })),
      }),
    }),
  })
  .parse(packageJson);

const { commandPalette = [], ...otherMenus } = contributes.menus;
const outsidePalette = new Set(
  commandPalette.filter(({ when }) => when === 'false').map(({ command }) => command),
);
const inMenus = new Set(
  Object.values(otherMenus)
    .flat()
    .map(({ command }) => command),
);
const paletteTitles = contributes.commands
  .filter(({ command }) => !outsidePalette.has(command))
  .map(({ title }) => `Aside: ${titleOf(title)}`);
const menuTitles = contributes.commands
  .filter(({ command }) => outsidePalette.has(command) && inMenus.has(command))
  .map(({ title }) => titleOf(title))
  // The palette has some commands of the view under other ids.
  .filter((title) => !paletteTitles.includes(`Aside: ${title}`));
const settings = Object.entries(contributes.configuration.properties);
const keys = contributes.keybindings.flatMap(({ key, mac = key }) => [key, mac]).map(displayedKey);

/** Keys that the help names: those of `package.json`, and the panel's own. */
const help = helpText(packageJson);
const ofVsCode = [
  'Preferences: Open Keyboard Shortcuts',
  'Extensions: Install from VSIX…',
  'MCP: Add Server…',
];
const words = new Set([
  ...Object.keys(bundle),
  ...Object.values(nls),
  ...paletteTitles,
  ...contributes.submenus.map(({ label }) => label),
  ...ofVsCode,
]);
/** Labels in the view, up to a placeholder: "Exclude: {0}" is the button "Exclude". */
const labels = new Set([...words].map((text) => text.replace(/: \{0\}$/, '')));

function titleOf(title: string): string {
  return nls[title.replaceAll('%', '')] ?? title;
}

/** `Ctrl+Alt+Enter` for `ctrl+alt+enter`. */
function displayedKey(key: string): string {
  return key.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

/** Contributions of `package.json` that a text doesn't name. */
function missingIn(text: string): readonly string[] {
  const bold = new Set(boldOf(text));
  const code = new Set(codeOf(text));
  const rows = settings.map(
    ([id, { default: value }]) => [id, `| \`${id}\` | \`${JSON.stringify(value)}\` |`] as const,
  );
  const oneSpace = text.replace(/ +/g, ' ');
  return [
    ...[...paletteTitles, ...menuTitles].filter((title) => !bold.has(title)),
    ...rows.filter(([, row]) => !oneSpace.includes(row)).map(([id]) => id),
    ...keys.filter((key) => !code.has(key)),
  ];
}

/** Buttons, commands, settings and keys that a text names but that don't exist. */
function unknownIn(text: string): readonly string[] {
  const ids = new Set(settings.map(([id]) => id));
  return [
    // A sentence in bold starts a list item, and ends with punctuation.
    ...boldOf(text).filter((label) => !/[,:?]$/.test(label) && !labels.has(label)),
    ...codeOf(text).filter((code) => /^aside\.[\w.]+$/.test(code) && !ids.has(code)),
    ...codeOf(text).filter((code) => isKey(code) && !namesKey(code)),
  ];
}

/** A text without the table of benchmarks. */
function withoutBenchmarks(text: string): string {
  return text.replace(/<!-- bench -->.*<!-- \/bench -->/s, '');
}

function boldOf(text: string): readonly string[] {
  return [...text.matchAll(/\*\*(.+?)\*\*/gs)].map(([, label = '']) => label.replace(/\s+/g, ' '));
}

function codeOf(text: string): readonly string[] {
  return [...text.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, code = '']) => code);
}

function isKey(code: string): boolean {
  return /^(?:(?:Ctrl|Cmd|Alt|Shift)\+.+|F\d+|Escape|Enter|(?:Up|Down) Arrow)$/.test(code);
}

function namesKey(key: string): boolean {
  const escaped = key.replaceAll('+', String.raw`\+`);
  return new RegExp(String.raw`(?<![\w+])${escaped}(?![\w+])`).test(help);
}

describe('the guide', () => {
  const guide = read('docs/guide.md');

  it('names every command, setting and key, and the default of each setting', () => {
    assert.ok(paletteTitles.length > 40 && menuTitles.length > 5 && settings.length > 15);
    assert.deepEqual(missingIn(guide), []);
  });

  for (const path of ['docs/guide.md', 'README.md']) {
    it(`names nothing that doesn't exist (${path})`, () => {
      assert.deepEqual(unknownIn(withoutBenchmarks(read(path))), []);
    });
  }

  it('has a line for each question of a first afternoon', () => {
    const questions = [
      ...[
        'Own certificate authority',
        'NODE_EXTRA_CA_CERTS',
        '`http.proxy`',
        'Local models, `http://`',
      ],
      ...['Two keys', 'Balance of the wallet', 'price billed', 'One address for a whole company'],
      ...['VSCodium, Cursor', 'code-server', 'SSH, WSL', 'Codespaces', 'Sync to another computer'],
      ...[
        'Completion while you type',
        'Web pages',
        'Deleting and moving files',
        'MCP: Add Server…',
      ],
      ...['`.cursorrules`', 'Beside Copilot', '`chat.utilityModel`', 'Removing everything'],
      'Oldest safe version of VS Code',
    ];
    assert.deepEqual(
      questions.filter((question) => !guide.includes(question)),
      [],
    );
  });

  it('detects missing names', () => {
    assert.deepEqual(missingIn(guide.replaceAll('Aside: Fork Chat', 'Fork')), ['Aside: Fork Chat']);
    assert.deepEqual(missingIn(guide.replaceAll('Resolve Comment', 'Resolve')), [
      'Resolve Comment',
    ]);
    assert.deepEqual(missingIn(guide.replaceAll('`25`', '`30`')), ['aside.tools.maxRounds']);
    assert.deepEqual(missingIn(guide.replaceAll('`Cmd+Alt+Y`', '')), ['Cmd+Alt+Y']);
  });

  it('detects wrong names', () => {
    const text =
      '**Aside: Explode**, **Fork\nChat**, **Wrong Button**, `aside.missing`, `Ctrl+Alt+J`, `Ctrl+Alt`';
    assert.deepEqual(unknownIn(text), [
      'Aside: Explode',
      'Wrong Button',
      'aside.missing',
      'Ctrl+Alt+J',
      'Ctrl+Alt',
    ]);
    assert.deepEqual(unknownIn('**Exclude**, **Word Wrap**, `Alt+Up Arrow`, `F1`, **Away:**'), []);
  });
});
