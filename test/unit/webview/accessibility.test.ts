import assert from 'node:assert/strict';
import type { Turn } from '../../../src/core/conversation/conversation.ts';
import { chatStates } from '../../support/pages/chatStates.ts';
import { chatOf, chatState, endedTurn } from '../../support/pages/chatParts.ts';
import { tabStates } from '../../support/pages/tabStates.ts';
import { openTab } from './bundle.ts';
import { PanelPage } from './panel.ts';
import { readRules } from './styleSheet.ts';

const control = 'button, a[href], input, textarea, select, [role=button], [role=radio]';
const focusable = `${control}, summary, [tabindex]`;

const scrolling = readRules()
  .filter(({ declarations }) =>
    ['overflow', 'overflow-x', 'overflow-y'].some((name) =>
      /auto|scroll/.test(declarations.get(name) ?? ''),
    ),
  )
  .map(({ selector }) => selector.replace(/:hover|:focus-within/g, ''))
  .filter((selector) => !selector.includes('::'));

/** Replies have any number of blocks. The browser makes those that scroll focusable. */
const blocksOfReplies = '.prose';

type Elements = readonly HTMLElement[];
type Find = (selector: string) => Elements;

/** Accessibility faults that no page may have. */
function faultsOf(all: Find): readonly string[] {
  return [
    ...all('textarea[aria-expanded], input[aria-expanded], [role=textbox][aria-expanded]').map(
      (field) => `A text box can't be expanded: ${shortOf(field)}`,
    ),
    ...all('summary')
      .flatMap((summary) => [...summary.querySelectorAll<HTMLElement>(focusable)])
      .map((inner) => `A control inside of another: ${shortOf(inner)}`),
    ...all(control)
      .filter((element) => !hasVisibleLabel(element))
      .map((element) => `The name lacks what is seen: ${shortOf(element)}`),
    ...scrolling
      .flatMap((selector) => all(selector))
      .filter((element) => !canBeScrolled(element))
      .map((element) => `Can't be scrolled by keyboard: ${shortOf(element)}`),
  ];
}

/** Voice control presses a button by the text that the person sees on it. */
function hasVisibleLabel(element: HTMLElement): boolean {
  const name = element.getAttribute('aria-label');
  return name === null || plain(name).includes(plain(visibleText(element)));
}

function visibleText(node: Node): string {
  const children = [...node.childNodes];
  if (children.length === 0) return node.textContent ?? '';
  return children
    .filter((child) => !isUnnamed(child))
    .map(visibleText)
    .join('');
}

function isUnnamed(node: Node): boolean {
  return isElement(node) && node.matches('[aria-hidden=true], [role=img], svg, .codicon');
}

function isElement(node: Node): node is Element {
  return node.nodeType === 1;
}

/** The visible text of a control can be split over several elements. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

/**
 * True if the element can be focused and has a name and a role, if something in it can be focused,
 * or if it is too short to scroll.
 */
function canBeScrolled(element: HTMLElement): boolean {
  const { tagName, tabIndex, textContent } = element;
  if (textContent.length < 400 || element.closest(blocksOfReplies) !== null) return true;
  if (/^(?:BODY|HTML|MAIN|TEXTAREA)$/.test(tagName)) return true;
  // Page Up and Page Down in the composer scroll the transcript, a log.
  if (element.getAttribute('role') === 'listbox' || element.matches('[role=log]')) return true;
  if (element.querySelector(focusable) !== null) return true;
  return tabIndex === 0 && element.hasAttribute('aria-label') && element.hasAttribute('role');
}

function shortOf(element: Element): string {
  return element.outerHTML.slice(0, 160);
}

const longTurn: Turn = {
  ...endedTurn,
  question: { text: 'Why is this so slow?\n'.repeat(40), attachments: [] },
};

describe('the accessibility tree', () => {
  const long = chatState('a long message', [], { conversation: chatOf({ ...longTurn }) });
  for (const { name, snapshot, messages } of [...chatStates, long])
    it(`has no fault in the chat: ${name}`, async () => {
      const page = await PanelPage.open(snapshot);
      for (const message of messages.slice(1)) page.post(message);
      for (const summary of page.all('details:not([open]) > summary')) summary.click();
      await page.drawn();
      assert.deepEqual([...new Set(faultsOf((selector) => page.all(selector)))], []);
    });

  for (const state of tabStates)
    it(`has no fault in a tab: ${state.name}`, async () => {
      const { all, post } = await openTab(state.kind);
      await post(...state.messages);
      assert.ok(all('#root > *').length > 0, 'It is drawn.');
      assert.deepEqual([...new Set(faultsOf(all))], []);
    });
});
