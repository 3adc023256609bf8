/**
 * Records the animation of the README from the packaged extension: a message about a selection, an
 * edit in place, a reply with tools and an approval, and the cost of everything, in half a minute.
 * The first parameter is the file to write.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Locator } from 'playwright-core';
import { JourneyWindow, usageItem } from '../journeys/support/journeyWindow.ts';
import { picturesFolder, takeEvidence } from '../journeys/support/pictures.ts';
import { Stage } from '../journeys/support/stage.ts';
import { Pointer } from './pointer.ts';
import { Recorder } from './recorder.ts';

/** CSS pixels: text stays readable in a README, which is about 900 wide. */
const size = { width: 1000, height: 620 };

const settings = {
  'diffEditor.renderSideBySide': false,
  'editor.minimap.enabled': false,
  'workbench.reduceMotion': 'on',
};

/** Maximum bytes, so that the page loads quickly. */
const maxBytes = 1_500_000;

/** Milliseconds between two keys, and for looking at a result. */
const keystroke = 25;
const look = 950;

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Name the file to write, for example out/aside.webp.');
await mkdir(picturesFolder, { recursive: true });
const window = await JourneyWindow.create({ size, settings });
const { workbench, panel, stage } = window;
const { page } = workbench;
try {
  await window.load();
  await prepare();
  const pointer = await Pointer.show(page);
  const recorder = await Recorder.start(page);
  await askAboutSelection(pointer);
  await editInPlace(pointer);
  await repairTest(pointer);
  await seeCost(pointer);
  const film = await recorder.stop(1500);
  if (film.length > maxBytes) throw new Error(`${film.length} bytes are more than ${maxBytes}.`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, film);
  console.log(`${file}: ${film.length} bytes`);
} catch (error) {
  await takeEvidence(page, 'failed--film', { window: workbench.log, server: stage.server.output });
  throw error;
} finally {
  await window.close();
  await Stage.close();
}
process.exit(0);

/** Opens the demo with a small file, and a sidebar wide enough for a table. */
async function prepare(): Promise<void> {
  await panel.showEmpty();
  await panel.button('Try the Demo').click();
  await panel.button(/^Model: ./).waitFor();
  await widenSidebar();
  await workbench.openFile('temperature.ts');
  await page.locator('.monaco-editor .view-line').first().click();
}

/** Drags the edge of the sidebar to 440 CSS pixels. */
async function widenSidebar(): Promise<void> {
  const box = await page.locator('.part.sidebar').boundingBox();
  if (box === null) throw new Error('There is no sidebar.');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width, y);
  await page.mouse.down();
  await page.mouse.move(box.x + 440, y, { steps: 5 });
  await page.mouse.up();
}

async function askAboutSelection(pointer: Pointer): Promise<void> {
  await workbench.selectLines(8, 10);
  await page.keyboard.press('ControlOrMeta+Alt+A');
  await panel.button(/^Remove .*temperature\.ts/).waitFor();
  await panel.input.pressSequentially('How does this work?', { delay: keystroke });
  await page.waitForTimeout(look / 2);
  await pointer.click(panel.button('Send'));
  await panel.replies.first().getByText('water boils').waitFor();
  await panel.settled();
  await page.waitForTimeout(look * 1.5);
}

async function editInPlace(pointer: Pointer): Promise<void> {
  await page.locator('.monaco-editor .view-line').first().click();
  await workbench.selectLines(12, 16);
  await page.keyboard.press('ControlOrMeta+Alt+E');
  await workbench.quickInput
    .locator('input.input')
    .pressSequentially('simplify', { delay: keystroke });
  await page.keyboard.press('Enter');
  const accept = page.locator('.editor-actions a[aria-label^="Accept Edit"]').first();
  await page.locator('.codelens-decoration').getByText('Accept').first().waitFor();
  await page.waitForTimeout(look * 1.5);
  await pointer.click(accept);
  await page.locator('.monaco-diff-editor').waitFor({ state: 'hidden' });
  await page.waitForTimeout(look / 2);
}

async function repairTest(pointer: Pointer): Promise<void> {
  await panel.input.click();
  await panel.input.pressSequentially('The test fails, fix it.', { delay: keystroke });
  await page.keyboard.press('Enter');
  const edit = panel.calls('edit_file').first();
  await pointer.click(edit.getByRole('button', { name: 'Review Diff' }));
  const diff = page.locator('.monaco-diff-editor').first();
  await diff.locator('.char-insert, .line-insert').first().waitFor();
  await page.waitForTimeout(look * 1.5);
  await pointer.click(edit.getByRole('button', { name: 'Allow Once', exact: true }));
  await workbench.dialog.waitFor();
  await page.waitForTimeout(look);
  await pointer.click(workbench.dialogButton('Allow Once'));
  await panel.replies.nth(1).getByText('The test passes').waitFor();
  await panel.settled();
  await page.waitForTimeout(look * 1.5);
}

async function seeCost(pointer: Pointer): Promise<void> {
  const item: Locator = workbench.statusItem(usageItem);
  await pointer.click(item);
  await workbench.webview('aside-chat.aside', 'editor').locator('h1, h2').first().waitFor();
  await page.waitForTimeout(look);
}
