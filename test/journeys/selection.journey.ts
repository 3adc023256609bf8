import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { until } from '../support/until.ts';
import { connect } from './support/connect.ts';
import { journey } from './support/journey.ts';
import { untilEnabled } from './support/keyboard.ts';

const fixed = `\`\`\`ts
export function toFahrenheit(celsius: number): number {
  if (Number.isNaN(celsius)) throw new RangeError('A temperature must be a number.');
  return (celsius * 9) / 5 + 32;
}
\`\`\``;

const script: Script = ({ messages }) =>
  String(messages.at(-1)?.content).includes('Fix what is wrong') ? { content: fixed } : undefined;

describe('journey: code', () => {
  journey('explain a selection and fix it', { service: { script } }, async (walk) => {
    const { workbench, panel, picture, service, workspace } = walk;
    await connect(walk);
    await workbench.openFile('temperature.ts');
    await workbench.selectLines(8, 10);
    await workbench.command('Aside: Explain');
    await panel.replies.first().getByText('toFahrenheit').first().waitFor();
    await panel.settled();
    await untilEnabled(panel.button('Retry'));
    await picture('1-explained');
    const sent = JSON.stringify(service.requests.at(-1)?.body);
    assert.match(sent, /return \(celsius \* 9\) \/ 5 \+ 32/);
    assert.match(sent, /src\/temperature\.ts/);
    assert.doesNotMatch(sent, /class Station/, 'More was sent than what was selected.');

    const { page } = workbench;
    await workbench.command('Aside: Fix');
    await page.locator('.codelens-decoration a', { hasText: 'Accept' }).first().waitFor();
    await picture('2-to-review');
    await page.keyboard.press('ControlOrMeta+Alt+Enter');
    await page.locator('.monaco-diff-editor').waitFor({ state: 'hidden' });
    await page.keyboard.press('ControlOrMeta+S');
    const file = join(workspace, 'src/temperature.ts');
    await until(() => readFileSync(file, 'utf8').includes('Number.isNaN(celsius)'));
    await picture('3-fixed');
  });

  journey('add a selection to the chat', {}, async (walk) => {
    const { workbench, panel, picture } = walk;
    await connect(walk);
    await workbench.openFile('report.py');
    await workbench.selectLines(13, 14);
    await workbench.command('Aside: Add to Chat');
    const chip = panel.button(/^Remove .*report\.py/);
    await chip.waitFor();
    await picture('1-attached');
    await panel.ask('What is the name of this function?');
    await panel.replies.first().getByText('spread').first().waitFor();
    await panel.settled();
    await chip.waitFor({ state: 'hidden' });
    await picture('2-answered');
  });
});
