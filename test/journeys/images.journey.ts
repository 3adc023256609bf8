import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import type { Locator } from 'playwright-core';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { pricedModels } from './support/pricedModels.ts';
import { withoutDiskPaths } from './support/reasons.ts';

const seeing = 'mistral/mistral-large';

describe('journey: images', () => {
  journey('see an image, send it, and find it again', { settings: pricedModels }, async (walk) => {
    const { workbench, panel, picture } = walk;
    await connect(walk);
    await panel.ask('Hello');
    await panel.settled();
    await paste(walk, 'small.png', 300, 200);
    await panel.alert.getByText("It isn't known whether mistral/mistral-small").waitFor();
    await picture('1-refused');

    await choose(walk, seeing);
    await panel.input.pressSequentially('What is in this picture?');
    await paste(walk, 'harbour.png', 2400, 1200);
    await panel.button('Remove harbour.png').waitFor();
    await isDrawn(panel.frame.locator('.chip.image canvas'));
    await panel.cost.filter({ hasText: /^≈/ }).waitFor();
    await picture('2-attached');

    await workbench.stored('harbour.png');
    await workbench.stored('What is in this picture?');
    await workbench.reload();
    await panel.show();
    await isDrawn(panel.frame.locator('.chip.image canvas'));
    await panel.input.press('Enter');
    await panel.settled();
    await panel.replies.last().getByText('PNG, 1568 × 784 pixels').waitFor();
    const sent = panel.frame.getByRole('img', { name: 'harbour.png' });
    await isDrawn(sent);
    assert.match(JSON.stringify(lastBody(walk)), /"url":"data:image\/png;base64,/);
    await picture('3-answered');

    // Unlike a page reload, the command makes the previous window release the lease of the chat.
    await workbench.reloadAfterSaving();
    await panel.show();
    await isDrawn(sent);
    await picture('4-reloaded');
    await continueWithoutImages(walk);
  });

  journey(
    'send the image of a file, made small',
    { settings: pricedModels, not: withoutDiskPaths },
    async (walk) => {
      const { panel, workspace, picture } = walk;
      await connect(walk, seeing);
      const file = join(workspace, 'chart.png');
      await writeFile(file, pictureFile(3136, 1568));
      await panel.input.evaluate(async (field, path) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', path);
        const paste = { clipboardData, bubbles: true, cancelable: true };
        // The paste handler is loaded after the field.
        while (field.dispatchEvent(new ClipboardEvent('paste', paste)))
          await new Promise(requestAnimationFrame);
      }, file);
      await panel.button('Remove chart.png').waitFor();
      await isDrawn(panel.frame.locator('.chip.image canvas'));
      await panel.ask('What does it show?');
      await panel.settled();
      await panel.replies.first().getByText('PNG, 1568 × 784 pixels').waitFor();
      await picture('answered');
      await walk.workbench.command('Aside: Show Next Request');
      const tab = walk.workbench.webview('aside-chat.aside', 'editor');
      await tab.locator('.request-part', { hasText: 'chart.png' }).last().waitFor();
      await picture('request');
    },
  );
});

/** A PNG of one color. */
function pictureFile(width: number, height: number): Buffer {
  const chunk = (name: string, ...data: readonly Uint8Array[]): Buffer => {
    const named = Buffer.concat([Buffer.from(name), ...data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(named.length - 4);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  const rows = Buffer.alloc((width + 1) * height);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', size, Buffer.from([8, 0, 0, 0, 0])),
    chunk('tEXt', Buffer.from('Location\0somewhere')),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND'),
  ]);
}

/**
 * A model without image support: new images are refused, and the earlier one is sent as its name.
 */
async function continueWithoutImages(walk: Journey): Promise<void> {
  const { panel, picture } = walk;
  await panel.input.pressSequentially('And this?');
  await paste(walk, 'second.png', 40, 30);
  await panel.button('Remove second.png').waitFor();
  await choose(walk, 'mistral/mistral-small');
  await panel.input.press('Enter');
  await panel.alert.getByText("It isn't known whether mistral/mistral-small").waitFor();
  assert.equal(await panel.input.inputValue(), 'And this?');
  await panel.button('Remove second.png').waitFor();
  await picture('5-refused');
  await panel.button('Remove second.png').click();
  await panel.button('Remove second.png').waitFor({ state: 'hidden' });
  await panel.input.press('Enter');
  await panel.replies.nth(2).waitFor();
  await panel.settled();
  const body = JSON.stringify(lastBody(walk));
  assert.doesNotMatch(body, /base64/);
  assert.match(body, /harbour\.png \(image, 1568 × 784 pixels\): not sent/);
}

async function choose({ workbench, panel }: Journey, model: string): Promise<void> {
  await panel.button(/^Model: /).click();
  await workbench.pick(model);
  await panel.button(`Model: ${model}`).waitFor();
}

/** Pastes a picture of some shapes, as from a screenshot. */
async function paste(
  { panel }: Journey,
  name: string,
  width: number,
  height: number,
): Promise<void> {
  await panel.input.evaluate(
    async (field, imageSize) => {
      const canvas = new OffscreenCanvas(imageSize.width, imageSize.height);
      const context = canvas.getContext('2d');
      if (context === null) throw new Error('This page cannot draw.');
      for (const [index, color] of ['#2b6cb0', '#ed8936', '#f7fafc', '#2f855a'].entries()) {
        context.fillStyle = color;
        context.fillRect((index * imageSize.width) / 4, 0, imageSize.width / 4, imageSize.height);
      }
      const blob = await canvas.convertToBlob({ type: 'image/png' });
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([blob], imageSize.name, { type: 'image/png' }));
      field.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      );
    },
    { name, width, height },
  );
}

async function isDrawn(canvas: Locator): Promise<void> {
  await canvas.first().waitFor();
  const box = await canvas.first().boundingBox();
  assert.ok(box !== null && box.width > 8 && box.height > 8, JSON.stringify(box));
  assert.ok(Math.abs(box.width / box.height - 2) < 0.2, JSON.stringify(box));
}

function lastBody({ service }: Journey): unknown {
  return service.requests.findLast(({ method }) => method === 'POST')?.body;
}
