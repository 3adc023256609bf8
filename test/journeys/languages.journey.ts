import assert from 'node:assert/strict';
import type { FrameLocator, Locator } from 'playwright-core';
import { translated, type Language } from '../support/translations.ts';
import { journey, type Journey } from './support/journey.ts';

/** A language with three forms for numbers, one with long words, and one in another script. */
const languages: readonly Language[] = ['ja', 'de', 'ru'];

describe('journey: VS Code in another language', () => {
  for (const language of languages) {
    const settings = { 'aside.models': { 'mistral/mistral-small': { contextWindow: 32_000 } } };
    journey(`in ${language}`, { freshWindow: true, language, settings }, async (walk) => {
      const person = new Person(walk, language);
      await person.connect();
      await person.ask();
      await person.explainSelection();
      await person.seeUsage();
      await person.seeTools();
    });
  }
});

/** A person who reads one language only: each name is that of the translation. */
class Person {
  readonly #walk: Journey;
  readonly #language: Language;
  readonly #texts: ReturnType<typeof translated>;

  constructor(walk: Journey, language: Language) {
    this.#walk = walk;
    this.#language = language;
    this.#texts = translated(language);
  }

  async connect(): Promise<void> {
    const { workbench, baseUrl, key } = this.#walk;
    await this.#run('command.connect');
    await workbench.answer(this.#say('Connect to a Service'), baseUrl);
    await workbench.answer(this.#say('API Key for {0}').replace('{0}', new URL(baseUrl).host), key);
    await workbench.pick('mistral/mistral-small');
    await this.#field.waitFor();
    await this.#frame.locator(`html[lang="${this.#language}"]`).waitFor();
  }

  async ask(): Promise<void> {
    await this.#walk.picture('1-connected');
    await this.#field.fill('Explain how the temperature is converted.');
    await this.#field.press('Enter');
    await this.#replied(1);
    const more = this.#frame.getByRole('button', { name: this.#say('More Actions…'), exact: true });
    await more.last().click();
    const tokens = this.#frame.locator('.fact[role="note"]').first();
    const [, unit = ''] = this.#say('{0} tokens').split('¦').at(-1)?.split('{0}') ?? [];
    assert.ok((await tokens.innerText()).includes(unit.trim()));
    await this.#walk.picture('2-replied');
    await this.#walk.workbench.page.keyboard.press('Escape');
  }

  async explainSelection(): Promise<void> {
    const { workbench, picture } = this.#walk;
    await workbench.openFile('temperature.ts');
    await workbench.selectLines(1, 4);
    await this.#run('command.explain');
    await this.#replied(2);
    await picture('3-explained');
  }

  async seeUsage(): Promise<void> {
    await this.#run('command.showUsage');
    const tab = this.#walk.workbench.webview('aside-chat.aside', 'editor');
    await tab.getByRole('heading', { name: this.#say('Tokens by Day') }).waitFor();
    await tab.getByRole('region', { name: this.#say('This Chat'), exact: true }).waitFor();
    await this.#walk.picture('4-usage');
  }

  async seeTools(): Promise<void> {
    const { workbench, picture } = this.#walk;
    await this.#run('command.manageTools');
    await workbench.rows
      .getByText(this.#texts.manifest['tool.read_file'] ?? '')
      .first()
      .waitFor();
    await picture('5-tools');
  }

  get #frame(): FrameLocator {
    return this.#walk.panel.frame;
  }

  get #field(): Locator {
    return this.#frame.getByRole('textbox', { name: this.#say('Message'), exact: true });
  }

  /** A message of Aside. */
  #say(message: string): string {
    return this.#texts.messages[message] ?? assert.fail(`There is no message “${message}”.`);
  }

  /** Runs a command by its key in the translations. */
  #run(key: string): Promise<void> {
    return this.#walk.workbench.command(`Aside: ${this.#texts.manifest[key]}`);
  }

  /** So many replies are complete, and can be copied. */
  async #replied(count: number): Promise<void> {
    const name = this.#say('Assistant');
    const replies = this.#frame.getByRole('article', { name, exact: true });
    const copy = replies.getByRole('button', { name: this.#say('Copy Message'), exact: true });
    await copy.nth(count - 1).waitFor({ state: 'attached' });
  }
}
