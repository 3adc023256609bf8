/**
 * Makes the VSIX smaller that `vsce` wrote: its files are compressed again, and its `package.json`
 * keeps only what VS Code and a marketplace read.
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
  file.name === 'extension/package.json' ? { ...file, contents: small(file.contents) } : file,
);
const zip = await writeZip(files);
await writeFile(path, zip);
console.log(`${path} has ${zip.length} bytes.`);

function small(manifest) {
  const fields = Object.entries(JSON.parse(manifest.toString('utf8')));
  const read = fields.filter(([field]) => !ofSources.has(field));
  return Buffer.from(JSON.stringify(Object.fromEntries(read)));
}
