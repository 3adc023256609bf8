import assert from 'node:assert/strict';
import { connect } from './support/connect.ts';
import { journey } from './support/journey.ts';

describe('journey: code', () => {
  journey('ask about a selection', {}, async (walk) => {
    const { workbench, panel, picture, service } = walk;
    await connect(walk);
    await workbench.openFile('temperature.ts');
    await workbench.selectLines(8, 10);
    await workbench.command('Aside: Explain');
    await panel.replies.first().getByText('toFahrenheit').first().waitFor();
    await panel.settled();
    await picture('1-explained');
    const sent = JSON.stringify(service.requests.at(-1)?.body);
    assert.match(sent, /return \(celsius \* 9\) \/ 5 \+ 32/);
    assert.match(sent, /src\/temperature\.ts/);
    assert.doesNotMatch(sent, /class Station/, 'More was sent than what was selected.');

    await workbench.openFile('report.py');
    await workbench.selectLines(13, 14);
    await workbench.command('Aside: Add to Chat');
    const chip = panel.button(/^Remove .*report\.py/);
    await chip.waitFor();
    await picture('2-attached');
    await panel.ask('What is the name of this function?');
    await panel.replies.nth(1).getByText('spread').first().waitFor();
    await panel.settled();
    await chip.waitFor({ state: 'hidden' });
    await picture('3-answered');
  });
});
