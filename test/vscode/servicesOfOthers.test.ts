import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { findServicesOfOthers } from '../../src/host/connection/servicesOfOthers.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

describe('the services of other extensions', () => {
  let temporary: TemporaryFolder;

  beforeEach(async () => (temporary = await TemporaryFolder.create()));
  afterEach(() => temporary.dispose());

  const put = async (path: string, content: unknown): Promise<void> => {
    const file = join(temporary.path, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  };
  const find = async (): Promise<readonly string[]> => {
    const folder = vscode.Uri.file(temporary.path);
    const settings = new Map([['roo-cline.autoImportSettingsPath', '~/roo/settings.json']]);
    const setting = (id: string): unknown => settings.get(id);
    const services = await findServicesOfOthers({ home: folder, user: folder, setting });
    return services.map(({ owner, source, baseUrl, model = '', key = '' }) =>
      [owner, source, baseUrl, model, key].join(' '),
    );
  };

  it('are found in the home folder, and in the settings of the person', async () => {
    const url = 'https://a.example/v1';
    await put('.continue/config.yaml', `models:\n  - apiBase: ${url}\n    model: c\n`);
    await put('.cline/data/globalState.json', { openAiBaseUrl: url, openAiModelId: 'l' });
    await put('.cline/data/secrets.json', { openAiApiKey: 'sk-0123456789' });
    await put('chatLanguageModels.json', [{ models: [{ id: 'v', url }] }]);
    await put('roo/settings.json', {
      providerProfiles: { apiConfigs: { a: { openAiBaseUrl: url, openAiModelId: 'r' } } },
    });
    assert.deepEqual(await find(), [
      `Continue ~/.continue/config.yaml ${url} c `,
      `Cline ~/.cline/data ${url} l sk-0123456789`,
      `Roo Code ~/roo/settings.json ${url} r `,
      `VS Code chatLanguageModels.json ${url} v `,
    ]);
  });

  it('are empty if there is nothing, or no file', async () => {
    assert.deepEqual(await find(), []);
    await mkdir(join(temporary.path, '.continue/config.yaml'), { recursive: true });
    await symlink('/dev/zero', join(temporary.path, 'chatLanguageModels.json'));
    assert.deepEqual(await find(), []);
  });
});
