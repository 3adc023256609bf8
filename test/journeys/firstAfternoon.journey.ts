import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { walkthrough } from '../../src/host/contributions.ts';
import { until } from '../support/until.ts';
import { translated, type Language } from '../support/translations.ts';
import { journey, type Journey } from './support/journey.ts';
import { press } from './support/press.ts';

/** One without spaces between words, and one with long words and three plural forms. */
const languages: readonly Language[] = ['ja', 'ru'];

const model = 'mistral/mistral-small';

describe('journey: the first afternoon', () => {
  for (const language of languages) {
    const settings = { 'aside.models': { [model]: { contextWindow: 32_000 } } };
    const options = { freshWindow: true, settings, language };
    journey(`the first afternoon in ${language}`, options, async (walk) => {
      const person = new Person(walk, language);
      await person.tryDemo();
      await person.openWalkthrough();
      const start = performance.now();
      await person.connect();
      await person.ask();
      const seconds = Math.round((performance.now() - start) / 1000);
      console.log(`      The first reply of a service is there ${seconds} s after Connect.`);
      await person.explainSelection();
      await person.editInPlace();
      await person.allowEdit();
      await person.setBudget();
      await person.seeUsage();
      await person.seeTools();
      await person.findChat();
    });
  }
});

/** A person who reads only one language: every name comes from its translation. */
class Person {
  readonly #walk: Journey;
  readonly #language: string;
  readonly #texts: ReturnType<typeof translated>;

  constructor(walk: Journey, language: Language) {
    this.#walk = walk;
    this.#language = language;
    this.#texts = translated(language);
  }

  async tryDemo(): Promise<void> {
    await this.#walk.workbench.showContainer('Aside');
    await this.#button('Try the Demo').click();
    await this.#button('What can you help me with?').click();
    await this.#replied(1);
    // The demo knows the suggestion by its id, and replies in English.
    await this.#frame.getByText('a chat beside your code').first().waitFor();
    await this.#walk.picture('1-demo');
    assert.deepEqual(this.#walk.service.requests, [], 'The demo went over the network.');
  }

  async openWalkthrough(): Promise<void> {
    const { workbench, picture } = this.#walk;
    await this.#run('command.openWalkthrough');
    const id = `aside-chat.aside#${walkthrough.id}#connect`;
    const step = `[data-step-id="${id}"]`;
    await workbench.page.locator(`${step} .step-title`).waitFor();
    // VS Code focuses the step with a delay, which closes an open list.
    await workbench.page.locator(`${step}:focus, ${step} :focus`).waitFor();
    await picture('2-walkthrough');
    await workbench.command('View: Close All Editors');
  }

  async connect(): Promise<void> {
    const { workbench, baseUrl, key } = this.#walk;
    await this.#run('command.connect');
    await workbench.answer(this.#say('Connect to a Service'), baseUrl);
    await workbench.answer(this.#say('API Key for {0}').replace('{0}', new URL(baseUrl).host), key);
    await workbench.pick(model);
    await this.#button('Model: {0}', model).waitFor();
    await this.#frame.locator(`html[lang="${this.#language}"]`).waitFor();
  }

  async ask(): Promise<void> {
    const { workbench, picture } = this.#walk;
    await picture('3-connected');
    await this.#send('Explain how the temperature is converted.');
    await this.#replied(2);
    await this.#button('More Actions…').last().click();
    const tokens = this.#frame.locator('.fact[role="note"]').first();
    const [, unit = ''] = this.#say('{0} tokens').split('¦').at(-1)?.split('{0}') ?? [];
    assert.ok((await tokens.innerText()).includes(unit.trim()));
    await picture('4-replied');
    await workbench.page.keyboard.press('Escape');
  }

  async explainSelection(): Promise<void> {
    const { workbench, picture } = this.#walk;
    await workbench.openFile('temperature.ts');
    await workbench.selectLines(1, 4);
    await this.#run('command.explain');
    await this.#replied(3);
    await picture('5-explained');
  }

  async editInPlace(): Promise<void> {
    const { workbench, picture, workspace } = this.#walk;
    const { page } = workbench;
    await page.locator('.monaco-editor .view-line').first().click();
    await workbench.selectLines(8, 10);
    await page.keyboard.press('ControlOrMeta+Alt+E');
    await workbench.answer(this.#say('Edit'), 'document this');
    const accept = this.#texts.manifest['command.acceptEdit'] ?? '';
    await page.locator(`.editor-actions a[aria-label^="${accept}"]`).first().click();
    await page.locator('.monaco-diff-editor').waitFor({ state: 'hidden' });
    await picture('6-edited');
    await page.keyboard.press('ControlOrMeta+S');
    await until(() => textOf(workspace).includes('Converts degrees Celsius'));
  }

  async allowEdit(): Promise<void> {
    const { picture, workspace } = this.#walk;
    await this.#send('Improve the open file.');
    await this.#button('Allow Once').waitFor();
    await picture('7-asks');
    await press(this.#button('Allow Once'));
    await this.#replied(4);
    assert.match(textOf(workspace), /readings\.length === 0/);
  }

  async setBudget(): Promise<void> {
    const { workbench } = this.#walk;
    const limit = this.#say('Limit for Each Chat');
    await this.#run('command.setBudget');
    await workbench.pick(limit);
    await workbench.answer(limit, '500k');
    await workbench.quickInput.waitFor({ state: 'hidden' });
  }

  async seeUsage(): Promise<void> {
    await this.#run('command.showUsage');
    const tab = this.#walk.workbench.webview('aside-chat.aside', 'editor');
    await tab.getByRole('heading', { name: this.#say('Tokens by Day') }).waitFor();
    await tab.getByRole('region', { name: this.#say('This Chat'), exact: true }).waitFor();
    // VS Code focuses the tab once it has loaded, which closes an open list.
    await tab.locator(':root').evaluate(focused);
    await this.#walk.picture('8-usage');
  }

  async seeTools(): Promise<void> {
    const { workbench, picture } = this.#walk;
    // The page of a tab may take the focus back late from the palette, which closes an open list.
    await workbench.command('View: Close All Editors');
    await this.#run('command.manageTools');
    await workbench.rows
      .getByText(this.#texts.manifest['tool.read_file'] ?? '')
      .first()
      .waitFor();
    await picture('9-tools');
    await workbench.page.keyboard.press('Escape');
    await workbench.quickInput.waitFor({ state: 'hidden' });
  }

  async findChat(): Promise<void> {
    const { workbench, picture } = this.#walk;
    await this.#run('command.newChat');
    await this.#frame.getByRole('article').first().waitFor({ state: 'detached' });
    // The field is focused with a delay, which closes an open list.
    await this.#frame.locator('.message-field:focus').waitFor();
    await this.#frame.locator(':root').evaluate(focused);
    await this.#run('command.openChat');
    await workbench.quickInput.locator('input.input').fill('temperature is converted');
    await workbench.rows.filter({ hasText: 'temperature is converted' }).first().waitFor();
    await picture('10-found');
    await workbench.page.keyboard.press('Enter');
    await this.#replied(4);
  }

  get #frame(): FrameLocator {
    return this.#walk.panel.frame;
  }

  /** A button of the panel, by its English name. */
  #button(name: string, value = ''): Locator {
    const text = this.#say(name).replace('{0}', value);
    return this.#frame.getByRole('button', { name: text, exact: true });
  }

  async #send(message: string): Promise<void> {
    const name = this.#say('Message');
    const field = this.#frame.getByRole('textbox', { name, exact: true });
    await field.fill(message);
    await field.press('Enter');
  }

  /** Translation of a message of Aside. */
  #say(message: string): string {
    return this.#texts.messages[message] ?? assert.fail(`There is no message “${message}”.`);
  }

  /** Runs a command by its key in `package.nls.json`. */
  #run(key: string): Promise<void> {
    return this.#walk.workbench.command(`Aside: ${this.#texts.manifest[key]}`);
  }

  /** Waits until this many replies are complete, and can be copied. */
  async #replied(count: number): Promise<void> {
    const name = this.#say('Assistant');
    const replies = this.#frame.getByRole('article', { name, exact: true });
    const copy = replies.getByRole('button', { name: this.#say('Copy Message'), exact: true });
    await copy.nth(count - 1).waitFor({ state: 'attached' });
  }
}

function textOf(workspace: string): string {
  return readFileSync(join(workspace, 'src/temperature.ts'), 'utf8');
}

/** Runs in a page. Resolves when the page has focus. */
function focused(): Promise<void> {
  return new Promise((resolve) => {
    if (document.hasFocus()) resolve();
    else window.addEventListener('focus', () => resolve(), { once: true });
  });
}
