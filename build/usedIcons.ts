/**
 * Packages only the icons that the view uses, since the font of all codicons would be a quarter of
 * the download. Any name in a string of the view's sources or among the icons of attachments
 * counts, so a few unused icons are included. Tools declare theirs as `icon: '…'`.
 */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import subsetFont from 'subset-font';

const comment = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm;
const quoted = /'[^'\n]*'|"[^"\n]*"|`[^`]*`/g;

/** Declares the icons of attachments. */
const iconsOfAttachments = join(import.meta.dirname, '../src/host/attachments/contextChips.ts');

/** CSS rule that maps an icon to its character. */
const rule = /^\.codicon-([\w-]+):before \{ content: "\\([\da-f]+)" \}\n/gm;

export const usedIcons: Plugin = {
  name: 'used-icons',
  setup(build) {
    build.onLoad({ filter: /codicon\.css$/ }, async ({ path }) => {
      const [css, words] = await Promise.all([readFile(path, 'utf8'), usedIconNames()]);
      const used = css.replace(rule, (all, name: string) => (words.has(name) ? all : ''));
      return { contents: silentIcons(used.replace('"truetype"', '"woff2"')), loader: 'css' };
    });
    build.onLoad({ filter: /media[\\/]webview[\\/]\w+\.css$/ }, async ({ path, with: { type } }) =>
      type === 'text'
        ? undefined
        : { contents: silentIcons(await readFile(path, 'utf8')), loader: 'css' },
    );
    build.onResolve({ filter: /codicon\.ttf/ }, ({ resolveDir }) => ({
      path: join(resolveDir, 'codicon.woff2'),
    }));
    build.onLoad({ filter: /codicon\.woff2$/ }, async ({ path }) => {
      const css = await readFile(join(dirname(path), 'codicon.css'), 'utf8');
      const words = await usedIconNames();
      const codes = [...css.matchAll(rule)].flatMap(([, name = '', code = '']) =>
        words.has(name) ? [code] : [],
      );
      const text = [...codes, ...(await codesInStyles())]
        .map((code) => String.fromCodePoint(parseInt(code, 16)))
        .join('');
      const whole = await readFile(join(dirname(path), 'codicon.ttf'));
      const contents = await subsetFont(whole, text, { targetFormat: 'woff2' });
      return { contents, loader: 'copy' };
    });
  },
};

/**
 * Gives icons an empty alternative text, since screen readers would read their characters as part
 * of a name. The first declaration is for browsers that don't support the second.
 */
function silentIcons(css: string): string {
  return css.replaceAll(
    /content: (['"]\\[\da-f]{4}['"]);?/g,
    (_, character: string) => `content: ${character}; content: ${character} / "";`,
  );
}

/** Names of all packaged icons, among other words. */
export async function usedIconNames(): Promise<ReadonlySet<string>> {
  const view = await readAll('src/webview', /\.tsx?$/);
  const sources = [...view, await readFile(iconsOfAttachments, 'utf8')];
  const texts = sources.flatMap((source) => source.replace(comment, '').match(quoted) ?? []);
  const words = texts.flatMap((text) => text.match(/[a-z]+(?:-[a-z\d]+)*/g) ?? []);
  return new Set([...words.flatMap(namesIn), ...(await iconsOfTools())]);
}

async function iconsOfTools(): Promise<readonly string[]> {
  const sources = await readAll('src/host/tools', /\.ts$/);
  return sources.flatMap((source) =>
    [...source.replace(comment, '').matchAll(/\bicon: '([\w-]+)'/g)].map(([, name = '']) => name),
  );
}

function namesIn(word: string): readonly string[] {
  return word.startsWith('codicon-') ? [word, word.slice('codicon-'.length)] : [word];
}

/** Characters of the icon font that the style sheets use directly. */
async function codesInStyles(): Promise<readonly string[]> {
  const styles = await readAll('media/webview', /\.css$/);
  return styles.flatMap((text) =>
    [...text.matchAll(/content: '\\([\da-f]{4})'/g)].map(([, code = '']) => code),
  );
}

async function readAll(folder: string, ending: RegExp): Promise<readonly string[]> {
  const path = join(import.meta.dirname, '..', folder);
  const files = (await readdir(path, { recursive: true })).filter((file) => ending.test(file));
  return Promise.all(files.toSorted().map((file) => readFile(join(path, file), 'utf8')));
}
