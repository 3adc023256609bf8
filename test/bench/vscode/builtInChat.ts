import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { Workbench } from '../../support/vscode/workbench.ts';
import type { StandFolders } from './stand.ts';

/** The extension that provides the model. */
export const chatModel = {
  name: 'chatModel',
  activationEvents: ['onStartupFinished'],
  contributes: { languageModelChatProviders: [{ vendor: 'bench', displayName: 'Bench' }] },
};

/** Lets the built-in chat use a model without signing in. */
export async function allowOwnModel({ user }: StandFolders): Promise<void> {
  await mkdir(join(user, 'User'), { recursive: true });
  const models = JSON.stringify([{ name: 'bench', vendor: 'bench' }]);
  await writeFile(join(user, 'User/chatLanguageModels.json'), models);
}

/** VS Code's built-in chat, in the secondary side bar. */
export class BuiltInChat {
  readonly #workbench: Workbench;
  readonly #page: Page;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
    this.#page = workbench.page;
  }

  /**
   * Enables the chat's extension, which is disabled in a new profile.
   * @param model the only model that it offers
   */
  async enable(model: string): Promise<void> {
    await this.#workbench.command('Extensions: Enable All Extensions');
    await this.#workbench.command('Developer: Show Running Extensions');
    const rows = this.#page.locator('.runtime-extensions-editor .monaco-list-row');
    await rows.filter({ hasText: /GitHub Copilot.*Activation: \d+ms/s }).waitFor();
    await this.#page.keyboard.press('Escape');
    await rows.first().waitFor({ state: 'detached' });
    await this.#workbench.command('Chat: Open Chat');
    await this.#page.locator('.auxiliarybar .model-picker-name', { hasText: model }).waitFor();
  }

  /** Sends a message in a new chat. */
  async askAnew(question: string): Promise<void> {
    await this.#page
      .locator('.auxiliarybar')
      .getByRole('button', { name: /^New Chat/ })
      .first()
      .click();
    await this.#responses.waitFor({ state: 'detached' });
    await this.#page.locator('.auxiliarybar .interactive-input-part .monaco-editor').click();
    await this.#page.keyboard.insertText(question);
    await this.#page.keyboard.press('Enter');
  }

  /** Newest reply, once it is complete. */
  get answer(): Locator {
    return this.#responses.and(this.#page.locator(':not(.chat-response-loading)'));
  }

  get #responses(): Locator {
    return this.#page.locator('.auxiliarybar .interactive-session .interactive-response');
  }
}
