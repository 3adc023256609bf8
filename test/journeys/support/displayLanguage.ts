import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Sets VS Code's display language with a language pack that has no texts: VS Code stays in English
 * but tells extensions that it uses the language.
 */
export async function setDisplayLanguage(userFolder: string, language: string): Promise<void> {
  const pack = join(userFolder, 'pack.i18n.json');
  // VS Code requires the extension that provides a language.
  const extensions = [{ extensionIdentifier: { id: 'aside-test.language' }, version: '1.0.0' }];
  const packs = {
    [language]: { hash: 'empty', label: language, extensions, translations: { vscode: pack } },
  };
  await mkdir(join(userFolder, 'User'), { recursive: true });
  await Promise.all([
    writeFile(pack, JSON.stringify({ version: '1.0.0', contents: {} })),
    writeFile(join(userFolder, 'languagepacks.json'), JSON.stringify(packs)),
    writeFile(join(userFolder, 'User', 'argv.json'), JSON.stringify({ locale: language })),
  ]);
}
