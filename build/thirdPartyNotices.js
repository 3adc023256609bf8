/**
 * Writes `ThirdPartyNotices.txt` beside the scripts, with the license of every bundled package. The
 * build fails for packages without one.
 *
 * A package that ships no license file needs a copy of its license in `licenses`.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

const licenseFile = /^(?:licen[cs]e|copying|notice)(?:[-_.].*)?$/i;
const copies = join(import.meta.dirname, '..', 'licenses');

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().optional(),
  homepage: z.string().optional(),
  repository: z.union([z.string(), z.object({ url: z.string() })]).optional(),
  author: z.union([z.string(), z.object({ name: z.string() })]).optional(),
});

/**
 * Licenses that accept an address instead of their text (Creative Commons: section 3 a 1 A iii).
 * The text would be longer than all others together.
 */
const addresses = new Map([
  [
    'CC-BY-4.0',
    'Creative Commons Attribution 4.0 International Public License: https://creativecommons.org/licenses/by/4.0/legalcode',
  ],
]);

const introduction = `Aside contains parts of the packages below. Their licenses follow, sorted by the name of the package.
`;

/**
 * Returns one plugin for all builds of a folder, which share the file.
 * @param {string} folder
 * @returns {import('esbuild').Plugin}
 */
export function thirdPartyNotices(folder) {
  /** @type {Set<string>} */
  const packages = new Set();
  return {
    name: 'third-party-notices',
    setup(build) {
      build.initialOptions.metafile = true;
      build.onEnd(async ({ metafile }) => {
        if (metafile === undefined) return;
        for (const packageName of bundledPackages(metafile)) packages.add(packageName);
        const notices = await Promise.all([...packages].map(noticeOf));
        const sorted = notices.sort((a, b) => (a.name < b.name ? -1 : 1));
        await mkdir(folder, { recursive: true });
        const texts = [introduction, ...sorted.map(({ text }) => text)];
        await writeFile(
          join(folder, 'ThirdPartyNotices.txt'),
          texts.join(`\n${'='.repeat(80)}\n\n`),
        );
      });
    },
  };
}

/**
 * Folders of packages that contribute at least one byte to a build.
 * @param {import('esbuild').Metafile} metafile
 */
function bundledPackages({ outputs }) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  return new Set(
    inputs.flatMap(([path, { bytesInOutput }]) => {
      const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
      return bytesInOutput > 0 && folder !== undefined ? [folder] : [];
    }),
  );
}

/**
 * Name and notice of a package. Throws if it has no license.
 * @param {string} folder
 */
async function noticeOf(folder) {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const { name, version, license, ...other } = manifestSchema.parse(manifest);
  const { homepage, repository, author } = other;
  const address = homepage ?? (typeof repository === 'object' ? repository.url : repository);
  const texts = await licenseTexts(folder, name);
  if (texts.length === 0) throw new Error(`${name} has no license file: add a copy to ${copies}`);
  const heading = [`${name} ${version}`, `License: ${license}`, address].filter(Boolean).join('\n');
  const short = addresses.get(license ?? '');
  const paragraphs =
    short === undefined
      ? texts
      : [`By ${typeof author === 'object' ? author.name : author}.`, short];
  return { name, text: `${heading}\n\n${paragraphs.join('\n\n')}\n` };
}

/**
 * @param {string} folder
 * @param {string} name
 */
async function licenseTexts(folder, name) {
  const files = (await readdir(folder)).filter((file) => licenseFile.test(file)).sort();
  const copy = join(copies, `${name}.txt`);
  const paths = files.map((file) => join(folder, file));
  // A notice names authors but grants no rights.
  if (!files.some((file) => !/^notice/i.test(file))) {
    if (!existsSync(copy)) return [];
    paths.push(copy);
  }
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  return texts
    .map((text) => text.replace(/^\uFEFF/, '').trim())
    .filter((text) => text !== '')
    .map((text) => text.replaceAll('\r\n', '\n'));
}
