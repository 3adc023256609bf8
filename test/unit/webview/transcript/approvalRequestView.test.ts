import assert from 'node:assert/strict';
import type { ApprovalRequest, Turn } from '../../../../src/core/conversation/conversation.ts';
import { zeroUsage } from '../../../../src/core/conversation/usage.ts';
import { PanelPage, readyState } from '../panel.ts';
import {
  openChat,
  callCard,
  isOpen,
  begin,
  call,
  chat,
  edit,
  finished,
  result,
  start,
  startedAt,
  chatWithParts,
} from '../tools.ts';

const message = '[aria-label=Message]';

describe('the panel with tools that need approval', () => {
  describe('an edit that needs approval', () => {
    async function asking(question: ApprovalRequest = edit): Promise<PanelPage> {
      const panel = await openChat();
      panel.element(message).focus();
      await panel.play(start, ...begin('c1', 'edit_file'));
      await panel.play({ type: 'tool-call-ask', id: 'c1', question });
      return panel;
    }

    it('shows its files and buttons, the diff first, and does not take the focus', async () => {
      const panel = await asking();
      const group = panel.element(callCard);
      assert.equal(isOpen(group), true);
      assert.match(panel.element('.file-list').textContent, /^src\/app\.ts\+3 −1$/);
      const buttons = [...group.querySelectorAll('button')].filter(({ tabIndex }) => tabIndex >= 0);
      assert.deepEqual(
        buttons.map((button) => button.ariaLabel ?? button.textContent),
        ['Review Diff', 'Allow Once', 'More Ways to Allow…', 'Deny', 'Give a Reason…'],
      );
      assert.equal(panel.button('Review Diff').textContent, 'src/app.ts');
      assert.equal(panel.button('Review Diff').title, 'Open diff of src/app.ts');
      assert.equal(panel.activeElement, panel.element(message));
      assert.equal(panel.element('[role=status]').textContent, 'Waiting for approval');
    });

    const reasonField = '.deny-reason input';
    const givingReason = async (): Promise<PanelPage> => {
      const panel = await asking();
      await panel.choose('Give a Reason…', 'Deny with Reason…');
      await panel.until(() => panel.all(reasonField).length === 1);
      return panel;
    };

    for (const [typed, reason] of [
      [' Keep the name. ', { reason: 'Keep the name.' }],
      ['  ', {}],
    ] as const)
      it(`is denied with Enter after “${typed}”, and the focus stays in the card`, async () => {
        const panel = await givingReason();
        assert.equal(panel.activeElement, panel.element(reasonField));
        await panel.type(reasonField, typed);
        await panel.press(reasonField, 'Enter');
        assert.deepEqual(panel.requests(), [
          { name: 'decide', parameters: { turn: 'turn', call: 'c1', decision: 'deny', ...reason } },
        ]);
        const summary = panel.element(callCard).querySelector('summary');
        assert.equal(panel.activeElement, summary);
      });

    it('shows the lines that it removes and adds, with their numbers', async () => {
      const panel = await asking();
      await panel.answer('changed-lines', [
        {
          path: 'src/app.ts',
          change: {
            lines: [
              { sign: '-', number: 7, text: 'let a;\u202e' },
              { sign: '+', number: 8, text: '<b>' },
            ],
            more: 3,
          },
        },
      ]);
      assert.deepEqual(
        panel.all(`${callCard} .change-lines > *`).map(({ textContent }) => textContent),
        [String.raw`7−let a;\u{202e}`, '8+<b>', '… and 3 more lines in the diff'],
      );
    });

    it('is not denied if the person closes the reason field, which stops no reply', async () => {
      const panel = await givingReason();
      await panel.press(reasonField, 'Escape');
      assert.deepEqual(panel.requests(), []);
      assert.equal(panel.buttons('Deny').length, 1);
    });

    for (const [name, decision] of [
      ['Allow Once', 'once'],
      ['Deny', 'deny'],
    ] as const)
      it(`is decided with ${name}, and the focus stays in the card`, async () => {
        const panel = await asking();
        panel.button(name).focus();
        await panel.click(name);
        assert.deepEqual(panel.requests(), [
          { name: 'decide', parameters: { turn: 'turn', call: 'c1', decision } },
        ]);
        await panel.play({ type: 'tool-call-run', id: 'c1', at: startedAt });
        assert.deepEqual(panel.buttons(name), []);
        assert.equal(panel.activeElement, panel.element(`${callCard} > summary`));
      });

    it('is allowed in this chat in the menu next to Allow Once, if that is offered', async () => {
      const once = await asking({ ...edit, forChat: false });
      assert.deepEqual(once.buttons('More Ways to Allow…'), []);
      assert.equal(once.buttons('Allow Once').length, 1);
      once.close();
      const panel = await asking();
      panel.button('More Ways to Allow…').focus();
      await panel.choose('More Ways to Allow…', 'Allow in This Chat');
      assert.deepEqual(panel.requests(), [
        { name: 'decide', parameters: { turn: 'turn', call: 'c1', decision: 'chat' } },
      ]);
      assert.equal(panel.activeElement, panel.element(`${callCard} > summary`));
    });

    it('says that Git does not track a file, which no approval in this chat covers', async () => {
      const panel = await asking({ ...edit, forChat: false, untracked: true });
      assert.match(panel.element(callCard).textContent, /Git doesn't track this file\./);
      panel.close();
      const [file] = edit.files;
      assert.ok(file);
      const files = [file, { ...file, path: 'src/new.ts' }];
      const several = await asking({ ...edit, files, forChat: false, untracked: true });
      assert.match(
        several.element(callCard).textContent,
        /Git doesn't track some of these files\./,
      );
      several.close();
      const usual = await asking();
      assert.doesNotMatch(usual.element(callCard).textContent, /Git/);
    });

    it('opens the diff of all files, or of the one that is clicked', async () => {
      const counts = { addedLines: 1, removedLines: 0 };
      const files = ['a.ts', 'b.ts'].map((path) => ({ path, kind: 'create' as const, ...counts }));
      const single = await asking();
      await single.click('Review Diff');
      const panel = await asking({ ...edit, files });
      await panel.click('Review Diff');
      panel.all('.file-name')[1]?.click();
      const review = (path?: string): unknown => ({
        name: 'review',
        parameters: { turn: 'turn', call: 'c1', ...(path !== undefined && { path }) },
      });
      assert.deepEqual(single.requests(), [review()]);
      assert.deepEqual(panel.requests(), [review(), review('b.ts')]);
      assert.match(panel.element('.file-list').textContent, /New/);
    });

    it('has no buttons if a dialog decides', async () => {
      const panel = await asking({ by: 'dialog', forChat: false, files: [] });
      assert.match(panel.element(callCard).textContent, /Respond in the dialog to continue/);
      assert.equal(panel.all(`${callCard} button`).length, 0);
    });

    it('has no buttons after its turn was stopped', async () => {
      const panel = await asking();
      await panel.play({ type: 'turn-end', status: 'stopped', at: startedAt });
      assert.deepEqual(panel.buttons('Allow Once'), []);
      assert.equal(panel.element('.tool-state').textContent, 'Stopped');
    });
  });

  describe('the status', () => {
    it('says which tool runs, how many, and that one needs approval', async () => {
      const panel = await openChat();
      const status = (): string => panel.element('[role=status]').textContent;
      const parts = ['a', 'b', 'c'].map((id) => begin(id));
      await panel.play(start, ...parts.flatMap(([begins]) => begins ?? []));
      assert.equal(status(), 'Running read_file');
      await panel.play(...parts.flatMap(([, runs]) => runs ?? []));
      assert.equal(status(), 'Running 3 tools');
      await panel.play(result('a'), result('b'));
      assert.equal(status(), 'Running read_file');
      await panel.play({ type: 'tool-call-ask', id: 'c', question: edit });
      assert.equal(status(), 'Waiting for approval');
      await panel.play(result('c'));
      assert.equal(status(), 'Waiting');
      await panel.play({ type: 'request-start' });
      assert.equal(status(), 'Waiting');
      await panel.play({ type: 'turn-pause', pause: { reason: 'rounds' } });
      assert.equal(status(), 'Paused');
    });
  });

  describe('a turn that paused', () => {
    const tokens = { prompt_tokens: 12_000, completion_tokens: 400, total_tokens: 12_400 };
    const usage = { ...zeroUsage, ...tokens, requests: 25, estimated: true };
    const parts = Array.from({ length: 25 }, (_, at) => call({ id: `c${at}`, round: at + 1 }));
    const running: Turn = {
      ...finished,
      parts,
      usage,
      status: 'paused',
      endedAt: undefined,
      pause: { reason: 'rounds' },
    };
    const group = '[role=group][aria-label=Paused]';

    it('shows the reason and the cost, and is continued or stopped', async () => {
      const panel = await openChat({ ...chat(), running });
      const words = panel.element(`${group} .outcome-text`).textContent;
      assert.equal(words, 'Paused after 25 tool rounds.\n≈12.4k tokens so far');
      panel.button('Continue').focus();
      await panel.click('Continue');
      panel.element(group).querySelectorAll('button')[1]?.click();
      assert.deepEqual(panel.requests(), [
        { name: 'resume', parameters: {} },
        { name: 'stop', parameters: {} },
      ]);
      assert.equal(panel.activeElement, panel.element(message));
      await panel.play({ type: 'turn-resume' });
      assert.equal(panel.all(group).length, 0);
    });

    it('says how much it has sent, or what that has cost: what was billed, if that is more', async () => {
      const prices = { currency: '$', byModel: { [running.model]: { input: 100, output: 1000 } } };
      const billed = { ...usage, estimated: false, cost: 2.5 };
      for (const [change, words] of [
        [{ pause: { reason: 'tokens' } }, 'Paused: this turn has sent ≈12k tokens.'],
        [
          { pause: { reason: 'money' } },
          'Paused: this turn has cost ≈$1.60.\n≈12.4k tokens so far',
        ],
        [
          { pause: { reason: 'money' }, usage: billed },
          'Paused: this turn has cost $2.50.\n12.4k tokens so far',
        ],
      ] as const) {
        const conversation = { ...chat(), running: { ...running, ...change } };
        const panel = await PanelPage.open({ conversation, state: { ...readyState, prices } });
        await panel.drawn();
        assert.equal(panel.element(`${group} .outcome-text`).textContent, words);
        panel.close();
      }
    });

    it('names the tool that is called repeatedly', async () => {
      const pause = { reason: 'repeat', tool: 'read_file' } as const;
      const panel = await openChat({ ...chat(), running: { ...running, usage: undefined, pause } });
      const words = panel.element(`${group} .outcome-text`).textContent;
      assert.equal(words, 'Paused: the model keeps repeating the same read_file call.');
    });
  });

  it('offers to send without tools if the service refused them', async () => {
    const error = { kind: 'bad-request', message: 'No tools.', remedy: 'without-tools' } as const;
    const panel = await openChat(chatWithParts([], { status: 'failed', error }));
    panel.button('Try without Tools').focus();
    await panel.click('Try without Tools');
    assert.deepEqual(panel.requests(), [
      { name: 'retry-without-tools', parameters: { turn: 'turn' } },
    ]);
    assert.equal(panel.activeElement, panel.element(message));
  });
});
