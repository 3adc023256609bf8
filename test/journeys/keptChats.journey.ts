import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { choosePath } from './support/choosePath.ts';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
import { journey } from './support/journey.ts';

describe('journey: manage saved chats', () => {
  journey('export, delete, restore and import a chat', {}, async (walk) => {
    const { workbench, panel, service, workspace, key, picture } = walk;
    const { page } = workbench;
    await connect(walk);
    await panel.ask('Write a function that sorts weather stations by name.');
    await panel.settled();
    const reply = await panel.words(panel.replies.first());
    const sent = service.requests.length;

    await workbench.command('Aside: Rename Chat…');
    await workbench.answer('Rename Chat', 'Sorted stations');
    await workbench.command('Aside: Export Chat…');
    await workbench.pick('Markdown');
    await workbench.quickInput.getByText('Save Chat').waitFor();
    await picture('1-export');
    await choosePath(walk, join(workspace, 'chat.md'));
    await workbench.toast('Exported to chat.md.').waitFor();
    const markdown = await readFile(join(workspace, 'chat.md'), 'utf8');
    assert.match(markdown, /^# Sorted stations\n\n- Date: [^]*\n## You\n\nWrite a function/);
    const menu = page.getByRole('button', { name: 'Views and More Actions…' });
    const more = (await menu.isVisible()) ? menu : page.getByLabel('More Actions...').first();
    await more.click();
    await page.getByRole('menuitem', { name: 'Export Chat…' }).waitFor();
    await picture('2-menu');
    await page.getByRole('menuitem', { name: 'Export Chat…' }).click();
    await workbench.pick('JSON');
    await choosePath(walk, join(workspace, 'chat.json'));
    await workbench.toast('Exported to chat.json.').waitFor();
    assert.ok(!(await readFile(join(workspace, 'chat.json'), 'utf8')).includes(key));

    await workbench.command('Aside: Delete Chat');
    const deleted = workbench.toast('Deleted “Sorted stations”.');
    await deleted.waitFor();
    await panel.replies.first().waitFor({ state: 'detached' });
    await picture('3-deleted');
    await workbench.toastButton('Deleted “Sorted stations”.', 'Undo').click();
    await panel.replies.first().getByText('This is a scripted demo').waitFor();
    assert.equal(await panel.words(panel.replies.first()), reply);
    await picture('4-back');

    await workbench.command('Aside: Delete All Chats…');
    await workbench.dialog.waitFor();
    await picture('5-delete-all');
    await decide(walk, 'Delete All');
    await panel.replies.first().waitFor({ state: 'detached' });

    await workbench.command('Aside: Import Chat…');
    await choosePath(walk, join(workspace, 'chat.json'));
    await panel.replies.first().getByText('This is a scripted demo').waitFor();
    assert.equal(await panel.words(panel.replies.first()), reply);
    await picture('6-imported');
    assert.equal(service.requests.length, sent);
  });
});
