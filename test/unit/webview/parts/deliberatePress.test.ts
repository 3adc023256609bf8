import assert from 'node:assert/strict';
import type { PanelState } from '../../../../src/protocol/messages.ts';
import type { Call } from '../../../../src/protocol/rpc.ts';
import type { ChatState } from '../../../support/pages/chatParts.ts';
import { chatStates } from '../../../support/pages/chatStates.ts';
import { minPressDelay as delay } from '../../../../src/webview/parts/deliberatePress.ts';
import { cases } from '../../../support/sample.ts';
import { PanelPage, readyState } from '../panel.ts';
import { begin, edit, openChat, start } from '../tools.ts';

/** Requests that allow, accept or start something: no button sends one before its time. */
function isDeliberate({ name, parameters }: Call): boolean {
  switch (name) {
    case 'decide':
      return parameters.decision !== 'deny';
    case 'changes':
      return parameters.action !== 'diff';
    case 'restore-files':
      return parameters.action !== 'review';
    case 'plan':
      return parameters.action === 'start';
    case 'retry':
      return !parameters.chooseModel;
    case 'send':
      return parameters.starter !== undefined;
    case 'continue':
    case 'insert-at-cursor':
    case 'resend':
    case 'resume':
    case 'retry-without-tools':
      return true;
    default:
      return false;
  }
}

/** A panel that has none of these buttons yet. */
const withoutModel: PanelState = {
  ...readyState,
  model: { id: '', fromWorkspace: false, missing: false },
};

/** Stops the clock of the page. The returned function sets it, in milliseconds from now. */
function stopClock({ window: { performance } }: PanelPage): (time: number) => void {
  const start = performance.now();
  let now = start;
  performance.now = () => now;
  return (time) => (now = start + time);
}

/**
 * Presses all buttons of a page, and the entries of their menus, this many milliseconds after each of
 * them appeared. Returns the names of those that sent a deliberate request.
 */
async function pressAll(
  { snapshot, messages }: ChatState,
  after: number,
): Promise<readonly string[]> {
  const page = await PanelPage.open({ state: withoutModel });
  // Before its buttons appear.
  const setTime = stopClock(page);
  page.refusal = 'Refused, so that nothing changes.';
  await page.show(snapshot);
  for (const message of messages.slice(1)) page.post(message);
  await page.drawn();
  const names = new Set<string>();
  const press = async (button: HTMLElement): Promise<void> => {
    if (!button.isConnected || button.matches(':disabled')) return;
    const before = page.requests().length;
    const name = button.ariaLabel ?? button.textContent;
    button.click();
    // Some wait for something before they send their request.
    await Promise.resolve();
    if (page.requests().slice(before).some(isDeliberate)) names.add(name);
  };
  let time = after;
  setTime(time);
  for (const button of page.all('button:not([aria-haspopup])')) await press(button);
  for (const button of page.all('button[aria-haspopup=menu]')) {
    button.click();
    await page.drawn();
    setTime((time += after));
    for (const entry of page.all('[role=menu] button')) await press(entry);
  }
  await page.drawn();
  page.close();
  return [...names];
}

describe('buttons that allow, accept or start something', () => {
  it('do nothing in any state of the panel before they have been there for 700 ms', async () => {
    for (const state of cases(chatStates, 5))
      assert.deepEqual(await pressAll(state, delay - 1), [], state.name);
  }).timeout(60_000);

  it('are all known', async () => {
    const pressed: string[] = [];
    for (const state of chatStates) pressed.push(...(await pressAll(state, delay)));
    const names = new Set(pressed.map((name) => name.replace(/ \S+\/.*| \S+\.\w+$/, '')));
    assert.deepEqual([...names].sort(), [
      'Allow Once',
      'Allow in This Chat',
      'Continue',
      'Explain',
      'Find problems in my changes',
      'Improve',
      'Insert at Cursor',
      'Keep',
      'Keep All',
      'Redo',
      'Redo All',
      'Retry',
      'Start',
      'Try Again',
      'Undo',
      'Undo All',
      'Undo Restore',
      'What can you help me with?',
      'What does this project do?',
    ]);
  }).timeout(60_000);
});

describe('a press of Allow Once', () => {
  let page: PanelPage;
  let button: HTMLElement;
  let setTime: (time: number) => void;

  beforeEach(async () => {
    page = await openChat();
    await page.receiveFocus();
    setTime = stopClock(page);
    await page.play(start, ...begin('c1', 'edit_file'));
    await page.play({ type: 'tool-call-ask', id: 'c1', question: edit });
    button = page.button('Allow Once');
  });

  const dispatch = (type: string, event: KeyboardEventInit & MouseEventInit = {}) => {
    const { Event, MouseEvent, KeyboardEvent } = page.window;
    const constructor = { click: MouseEvent, keydown: KeyboardEvent }[type] ?? Event;
    return button.dispatchEvent(
      new constructor(type, { bubbles: true, cancelable: true, ...event }),
    );
  };

  /** Presses the button as a pointer does, and releases it later. */
  function click(pressed: number, released = pressed + 50, detail = 1): void {
    setTime(pressed);
    dispatch('pointerdown');
    setTime(released);
    dispatch('click', { detail });
  }

  async function isAllowed(): Promise<boolean> {
    await page.drawn();
    return page.requests().some(({ name }) => name === 'decide');
  }

  it('is ignored if it began too early, told, and counts from the next time on', async () => {
    button.focus();
    click(delay - 1, delay + 50);
    assert.equal(await isAllowed(), false);
    assert.match(page.announcement, /too quickly and was ignored/);
    assert.equal(page.activeElement, button);
    click(2 * delay + 49);
    assert.equal(await isAllowed(), false);
    click(4 * delay);
    assert.equal(await isAllowed(), true);
  });

  it('counts after 700 ms, without a pointer too', async () => {
    setTime(delay);
    dispatch('click');
    assert.equal(await isAllowed(), true);
  });

  it('counts from a key that goes down late enough, and not from one that is held', async () => {
    setTime(delay - 1);
    dispatch('keydown', { key: 'Enter' });
    dispatch('click');
    setTime(3 * delay);
    assert.equal(dispatch('keydown', { key: 'Enter', repeat: true }), false);
    assert.equal(await isAllowed(), false);
    dispatch('keydown', { key: ' ' });
    dispatch('click');
    assert.equal(await isAllowed(), true);
  });

  it('is ignored where the button has not been for so long', async () => {
    let top = 100;
    const place = (): object => ({ left: 0, top, right: 80, bottom: top + 20 });
    Object.assign(button, { getBoundingClientRect: place });
    click(delay);
    assert.equal(await isAllowed(), false);
    setTime(3 * delay);
    top = 130;
    click(3 * delay);
    assert.equal(await isAllowed(), false);
    top = 131;
    click(5 * delay);
    assert.equal(await isAllowed(), true);
  });

  it('is ignored if it is the second of a double click', async () => {
    click(delay, delay + 50, 2);
    assert.equal(await isAllowed(), false);
  });

  it('is ignored if it brings the window to the front', async () => {
    page.loseFocus();
    await page.change({ isInBackground: true });
    click(delay);
    assert.equal(await isAllowed(), false);
    // The page, or another part of the window, has the focus since shortly before the press.
    setTime(3 * delay);
    await page.receiveFocus();
    click(3 * delay + 20);
    assert.equal(await isAllowed(), false);
    page.loseFocus();
    await page.change();
    click(3 * delay + 40);
    assert.equal(await isAllowed(), false);
    click(5 * delay);
    assert.equal(await isAllowed(), true);
  });

  it('counts in a page that has the focus, whatever is known of the window', async () => {
    await page.change({ isInBackground: true });
    click(delay);
    assert.equal(await isAllowed(), true);
  });

  it('is announced as unavailable until it counts', async () => {
    assert.equal(button.ariaDisabled, 'true');
    assert.equal(button.matches(':disabled'), false);
    setTime(delay);
    await page.until(() => button.ariaDisabled === null);
  });
});
