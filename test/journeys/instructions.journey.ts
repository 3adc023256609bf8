import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
import { journey, type Journey } from './support/journey.ts';
import { lastRequest } from './support/lastRequest.ts';
import { pricedModels } from './support/pricedModels.ts';

const files: Readonly<Record<string, string>> = {
  // Long enough to affect the cost.
  'weather/AGENTS.md': `${'Temperatures are in kelvin. '.repeat(40)}\n`,
  'weather/station/reading.ts': 'export const reading = 281;\n',
  'weather/station/AGENTS.md': 'Stations have no names.\n',
  'shop/AGENTS.md': 'Prices are in cents.\n',
  '.github/instructions/typescript.instructions.md':
    "---\napplyTo: '**/*.ts'\n---\nPrefer const.\n",
  '.github/instructions/python.instructions.md': "---\napplyTo: '**/*.py'\n---\nUse types.\n",
};

describe('journey: files with instructions', () => {
  journey('use the instructions for attached files', { settings: pricedModels }, async (walk) => {
    const { panel, picture } = walk;
    await writeAll(walk, files);
    await connect(walk);
    await attach(walk, 'reading.ts');
    for (const name of ['typescript.instructions.md', 'weather/AGENTS.md', 'station/AGENTS.md'])
      await panel.frame.locator('.chip', { hasText: name }).waitFor();
    assert.equal(await panel.frame.locator('.chip', { hasText: 'shop' }).count(), 0);
    const before = await panel.cost.innerText();
    await picture('1-offered');
    await panel.ask('Describe it.');
    await answer(walk, '.github/instructions/typescript.instructions.md', 'Use');
    await walk.workbench.dialog.getByText('about the files it is for').waitFor();
    await picture('2-asked');
    await answer(walk, 'weather/AGENTS.md', 'Use');
    await answer(walk, 'weather/station/AGENTS.md', "Don't Use");
    await panel.settled();
    const [system, instructions] = lastRequest(walk).messages;
    assert.doesNotMatch(system?.content ?? '', /kelvin|const\./);
    assert.match(instructions?.content ?? '', /Prefer const\.[^]*kelvin/);
    assert.doesNotMatch(JSON.stringify(lastRequest(walk)), /cents|no names|Use types/);
    await panel.button('Remove weather/AGENTS.md').waitFor();
    await panel.cost.filter({ hasNotText: before }).waitFor();
    await picture('3-in-use');
    // Instructions of earlier attachments still apply.
    await panel.ask('And why?');
    await panel.settled();
    assert.match(lastRequest(walk).messages[1]?.content ?? '', /Prefer const\.[^]*kelvin/);
  });
});

describe('journey: prompt files', () => {
  journey(
    'use a prompt file with variables and a model',
    { settings: pricedModels },
    async (walk) => {
      const { workbench, panel, picture } = walk;
      await writeAll(walk, {
        '.github/prompts/translate.prompt.md':
          '---\ndescription: Translates names\nmodel: mistral/mistral-large\n---\nTranslate ${selection} into ${input:language:Latin, for example}.\n',
      });
      await connect(walk);
      await workbench.openFile('report.py');
      await workbench.selectLines(13, 14);
      await panel.input.fill('/translate');
      await panel.input.press('Escape');
      await panel.button('Send').click();
      const language = workbench.quickInput.getByText('/translate');
      await language.waitFor();
      await picture('1-asks-for-a-value');
      await workbench.page.keyboard.press('Escape');
      await panel.frame.getByText('Nothing was sent.').waitFor();
      assert.equal(await panel.input.inputValue(), '/translate');
      await panel.button('Send').click();
      await language.waitFor();
      await workbench.page.keyboard.type('Greek');
      await workbench.page.keyboard.press('Enter');
      await workbench.dialog.getByText('Use mistral/mistral-large for').waitFor();
      await picture('2-offers-the-model');
      await decide(walk, 'Use mistral/mistral-large');
      await panel.messages.filter({ hasText: 'into Greek' }).waitFor();
      await panel.settled();
      assert.equal(lastRequest(walk).model, 'mistral/mistral-large');
      const last = lastRequest(walk).messages.at(-1)?.content ?? '';
      assert.match(last, /```python\n[^]*Translate "server\/report\.py, lines 13-14" into Greek\./);
      await picture('3-answered');
      await panel.ask('And in Greek again?');
      await panel.settled();
      assert.equal(lastRequest(walk).model, 'mistral/mistral-small');
    },
  );
});

describe('journey: presets', () => {
  journey('use a preset of the workspace', { settings: pricedModels }, async (walk) => {
    const { workbench, workspace, panel, picture } = walk;
    const preset =
      '---\nname: Reviewer\ndescription: Looks for mistakes\nmodel: mistral/mistral-large\ntools: [read_file, fetch]\ntemperature: 0.2\n---\nName each mistake once.\n';
    await writeAll(walk, { '.github/agents/reviewer.agent.md': preset });
    await connect(walk);
    await panel.button('Attach…').click();
    await workbench.pick('Choose Preset…');
    await workbench.quickInput.getByText('Looks for mistakes').waitFor();
    await picture('1-to-choose');
    await workbench.pick('Reviewer');
    await workbench.dialog.getByText('Use mistral/mistral-large for').waitFor();
    await workbench.dialog.getByText('temperature: 0.2').waitFor();
    await picture('2-offers-the-model');
    await decide(walk, 'Use mistral/mistral-large');
    const chip = panel.frame.locator('.chip', { hasText: 'Reviewer' });
    await chip.waitFor();
    await panel.button(/^Model: mistral\/mistral-large/).waitFor();
    await picture('3-chosen');
    await panel.ask('Review it.');
    await panel.settled();
    const { model, tools, messages } = lastRequest(walk);
    assert.deepEqual([model, tools], ['mistral/mistral-large', ['read_file']]);
    assert.match(JSON.stringify(walk.service.requests.at(-1)?.body), /"temperature":0\.2[,}]/);
    assert.doesNotMatch(messages[0]?.content ?? '', /mistake/);
    assert.equal(messages[1]?.role, 'user');
    assert.match(messages[1].content ?? '', /Name each mistake once\./);

    // The preset is stored with the chat. Later changes of its file are reported, without another
    // dialog.
    await writeFile(
      join(workspace, '.github/agents/reviewer.agent.md'),
      preset.replace('each mistake', 'all mistakes'),
    );
    await workbench.reload();
    await panel.show();
    await chip.getByText('Changed').waitFor();
    await picture('4-changed');
    await panel.input.fill('Once more.');
    await panel.button('Send').click();
    await workbench.dialog.getByText('Use mistral/mistral-large for').waitFor();
    await decide(walk, 'Keep mistral/mistral-small');
    await panel.frame.getByText('Once more.').first().waitFor();
    await panel.settled();
    assert.equal(lastRequest(walk).model, 'mistral/mistral-small');
    assert.match(lastRequest(walk).messages[1]?.content ?? '', /Name all mistakes once\./);

    await panel.button('Remove Reviewer').click();
    await chip.waitFor({ state: 'hidden' });
    await panel.ask('And without it?');
    await panel.settled();
    assert.ok(lastRequest(walk).tools.length > 1);
    assert.doesNotMatch(JSON.stringify(lastRequest(walk).messages), /mistakes once/);
  });
});

async function writeAll(
  { workspace }: Journey,
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, text] of Object.entries(texts)) {
    await mkdir(join(workspace, path, '..'), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
}

async function attach({ panel }: Journey, name: string): Promise<void> {
  await panel.input.pressSequentially(`@${name}`);
  await panel.option(new RegExp(`^${name.replace('.', '\\.')}`)).waitFor();
  await panel.input.press('Enter');
  await panel.button(`Remove ${name}`).waitFor();
}

async function answer(walk: Journey, path: string, button: string): Promise<void> {
  await walk.workbench.dialog.getByText(`Use ${path} as instructions?`).waitFor();
  await decide(walk, button);
}
