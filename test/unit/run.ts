/**
 * Runs the tests of units, of the service and of the architecture. Parameters are parts of paths of
 * test files, or of paths to skip with a leading `!`, followed by options for Mocha. A leading
 * `--whole` runs properties with every case instead of a sample. Without parameters, all tests run
 * in two processes.
 */
import { globSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import '../support/components.ts';
import '../support/stubVsCode.ts';
import { outFolder, projectFolder } from '../support/paths.ts';
import { reportParts, runParts, type Part } from '../support/runParts.ts';

const isWhole = process.argv[2] === '--whole';
const parameters = process.argv.slice(isWhole ? 3 : 2);
const firstOption = parameters.findIndex((parameter) => parameter.startsWith('-'));
const parts = firstOption < 0 ? parameters : parameters.slice(0, firstOption);
const wanted = parts.filter((part) => !part.startsWith('!'));
const unwanted = parts.filter((part) => part.startsWith('!')).map((part) => part.slice(1));
const options = firstOption < 0 ? [] : parameters.slice(firstOption);

const files = globSync('test/{*,{unit,service}/**/*}.test.ts', { cwd: projectFolder })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .filter((file) => !unwanted.some((part) => file.includes(part)))
  .sort();

if (files.length === 0) {
  console.error(`No test file fits: ${parts.join(' ')}. Give a part of its path, such as retry.`);
  process.exitCode = 1;
} else if (parameters.length === 0) {
  // Both take about the same time.
  const view = part('tests of the view', 'test/unit/webview/');
  const others = part('other tests', '!test/unit/webview/');
  reportParts(await runParts([view, others]));
} else {
  // Later runs needn't compile the same files again.
  enableCompileCache(join(outFolder, 'compiled'));
  process.env['ASIDE_SAMPLE'] = isWhole ? 'no' : 'yes';
  const mocha = join(projectFolder, 'node_modules/mocha/bin/mocha.js');
  const strictly = ['--forbid-only', '--forbid-pending', '--timeout', '60000'];
  // Runs Mocha's command instead of its API, which treats unhandled rejections as failures.
  process.argv = [process.execPath, mocha, ...strictly, ...options, ...files];
  await import(pathToFileURL(mocha).href);
}

function part(name: string, filter: string): Part {
  const whole = isWhole ? ['--whole'] : [];
  return { name, run: ['test/unit/run.ts', ...whole, filter], printsCount: true };
}
