import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { writeLongJournal } from '../support/longJournal.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { storageOf } from './support/storage.ts';

const messages = 10_000;
const newest = messages / 2;

describe('journey: a chat of 10,000 messages', () => {
  journey('read and search a long chat', { freshWindow: true }, async (walk) => {
    const { workbench, panel, picture } = walk;
    await connect(walk);
    await panel.ask('Hello');
    await panel.settled();
    await lengthen(walk);

    await workbench.reload();
    await panel.show();
    await panel.turn(newest).waitFor();
    await picture('1-opened');

    const up = await scrollThrough(panel.scroller, -1, newest - 60);
    assert.equal(up.empty, 0, `${up.empty} of ${up.frames} frames were empty on the way up`);
    assert.ok(up.most <= 110, `${up.most} turns were drawn at once`);
    await picture('2-further-up');
    await panel.button('Jump to Latest').click();
    await panel.turn(newest).waitFor();

    await panel.input.press('ControlOrMeta+F');
    await panel.findField.fill('several parts, of which this is part 1 of answer 77.');
    await panel.find.getByText('1 of 1', { exact: true }).waitFor();
    await panel.turn(77).waitFor();
    await panel.frame.getByRole('heading', { name: 'Answer 77', exact: true }).waitFor();
    await picture('3-found');
    const down = await scrollThrough(panel.scroller, 1, 110);
    assert.equal(
      down.empty,
      0,
      `${down.empty} of ${down.frames} frames were empty on the way down`,
    );
    await panel.findField.press('Escape');

    await panel.ask('Hello again');
    await panel.settled();
    await panel.turn(newest).waitFor();
    assert.match(await panel.words(panel.replies.last()), /\w/);
    await picture('4-asked');
  });
});

/** Replaces the open chat by a long one. */
async function lengthen(walk: Journey): Promise<void> {
  const storage = storageOf(walk);
  const [name] = await storage.names('chats');
  assert.ok(name !== undefined, 'No chat was written.');
  const conversation = name.replace('.jsonl', '');
  const journal = writeLongJournal({ conversation, messages, length: 20_000_000 });
  await storage.remove(`chats/${name}`);
  await storage.append(`chats/${name}`, journal);
}

interface Walk {
  readonly frames: number;
  /** Frames in which no turn covered the middle of the screen. */
  readonly empty: number;
  /** Highest number of turns in the DOM. */
  readonly most: number;
}

/** Scrolls page by page until a turn reaches the middle, and samples every frame. */
function scrollThrough(scroller: Locator, direction: 1 | -1, turn: number): Promise<Walk> {
  return scroller.evaluate(
    async (element, { direction, turn }) => {
      const walk = { frames: 0, empty: 0, most: 0 };
      const height = element.clientHeight;
      const middle = element.getBoundingClientRect().top + height / 2;
      for (let arrived = false; !arrived && walk.frames < 20_000; walk.frames++) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const turns = [...element.querySelectorAll<HTMLElement>('.turn')];
        const middleTurn = turns.find((turn) => {
          const { top, bottom } = turn.getBoundingClientRect();
          return top <= middle && bottom >= middle;
        });
        walk.most = Math.max(walk.most, turns.length);
        if (middleTurn === undefined || middleTurn.textContent === '') walk.empty++;
        const number = Number(middleTurn?.dataset['turn']?.replace('turn-', '') ?? NaN);
        arrived = direction < 0 ? number <= turn : number >= turn;
        element.scrollBy({ top: direction * height * 0.9, behavior: 'instant' });
      }
      return walk;
    },
    { direction, turn },
  );
}
