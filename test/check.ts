/**
 * Runs everything that finds mistakes in a minute or two, for use after every change. Three parts run
 * in parallel, since tests also wait.
 */
import { reportParts, runParts, type Part } from './support/runParts.ts';

/**
 * Files that only `npm test` runs: the files of the package need two builds, and the others pass very
 * long chats and replies through the view or the client.
 */
const onlyInFullRun = ['!test/unit/packageFiles.', '!/longChat.', '!/work.', '!/faults/large.'];

const parts: readonly Part[] = [
  tests('tests of the view', 'test/unit/webview/'),
  tests('other tests', '!test/unit/host/', '!test/unit/webview/'),
  tests('tests of the host', 'test/unit/host/'),
  part('lint'),
  part('types'),
  part('format:check'),
  part('unused'),
  part('workflows'),
  part('compile'),
];
reportParts(await runParts(parts, 3));

/** A script of `package.json`. */
function part(script: string): Part {
  return { name: script, run: [script], printsCount: false };
}

function tests(name: string, ...files: readonly string[]): Part {
  const run = ['test:unit', '--', ...files, ...onlyInFullRun, '--reporter', 'dot'] as const;
  return { name, run, printsCount: true };
}
