/**
 * Makes the VSIX smaller that `vsce` wrote: its files are compressed again, its `package.json` keeps
 * only what VS Code and a marketplace read, and other JSON is without spaces and in the order of its
 * keys, in which similar translations are near each other.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { readZip, writeZip } from './zip.js';

/** Fields for those who work on the extension. */
const ofSources = new Set(
  'private scripts devDependencies optionalDependencies prettier knip'.split(' '),
);

const { name, version } = JSON.parse(await readFile('package.json', 'utf8'));
const path = `${name}-${version}.vsix`;
const files = readZip(await readFile(path)).map((file) =>
  file.name.endsWith('.json') ? { ...file, contents: small(file) } : file,
);
const zip = await writeZip(files);
await writeFile(path, zip);
console.log(`${path} has ${zip.length} bytes.`);

function small({ name: path, contents }) {
  const fields = Object.entries(JSON.parse(contents.toString('utf8')));
  const kept =
    path === 'extension/package.json'
      ? fields.filter(([field]) => !ofSources.has(field))
      : fields.sort(([one], [other]) => (one < other ? -1 : 1));
  return Buffer.from(JSON.stringify(Object.fromEntries(kept)));
}
