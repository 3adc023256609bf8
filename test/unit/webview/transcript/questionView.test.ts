import assert from 'node:assert/strict';
import type { ToolCallPart, Turn } from '../../../../src/core/conversation/conversation.ts';
import { PanelPage } from '../panel.ts';
import { chat, finished } from '../tools.ts';

const asked = {
  question: 'Which database?',
  choices: ['SQLite: one file', 'Postgres: a server', 'Neither'],
};
const question = '[role=group][aria-label="Question: Which database?"]';

function call(changes: Partial<ToolCallPart> = {}, several = false): ToolCallPart {
  return {
    type: 'tool-call',
    id: 'c',
    name: 'ask_user',
    arguments: JSON.stringify(several ? { ...asked, several } : asked),
    round: 1,
    status: 'asking',
    title: asked.question,
    question: { by: 'question', forChat: false, files: [] },
    ...changes,
  };
}

function open(part: ToolCallPart, changes: Partial<Turn> = {}): Promise<PanelPage> {
  const running: Turn = { ...finished, endedAt: undefined, status: 'calling', parts: [part] };
  const { endedAt, status } = { ...running, ...changes };
  const turn = { ...running, endedAt, status };
  const conversation =
    endedAt === undefined ? { ...chat(), running: turn } : { ...chat(turn), running: undefined };
  return PanelPage.open({ conversation });
}

const choices = (panel: PanelPage): readonly HTMLInputElement[] =>
  panel
    .all(`${question} label input`)
    .filter((input) => input instanceof panel.window.HTMLInputElement);

describe('a question of the model', () => {
  it('offers its choices with their explanations, none of them chosen, and sends the answer', async () => {
    const panel = await open(call());
    assert.deepEqual(
      panel.all(`${question} [role=radiogroup] label`).map(({ textContent }) => textContent),
      ['SQLiteone file', 'Postgresa server', 'Neither'],
    );
    assert.ok(choices(panel).every(({ checked, type }) => !checked && type === 'radio'));
    assert.equal(panel.button('Answer').getAttribute('aria-disabled'), 'true');
    assert.equal(panel.element('[role=status]').textContent, 'Waiting for your answer');
    choices(panel)[0]?.click();
    choices(panel)[1]?.click();
    await panel.drawn();
    await panel.type(`${question} [aria-label="In your own words"]`, 'Version 17.');
    await panel.click('Answer');
    assert.deepEqual(panel.requests(), [
      {
        name: 'answer',
        parameters: { turn: 'turn', call: 'c', choices: [1], text: 'Version 17.' },
      },
    ]);
  });

  it('lets several be chosen, and takes Enter only in a text', async () => {
    const panel = await open(call({}, true));
    assert.ok(choices(panel).every(({ type }) => type === 'checkbox'));
    const words = `${question} [aria-label="In your own words"]`;
    await panel.press(words, 'Enter');
    assert.deepEqual(panel.requests(), []);
    for (const at of [0, 1, 2, 1]) choices(panel)[at]?.click();
    await panel.drawn();
    await panel.type(words, 'Both.');
    await panel.press(words, 'Enter');
    assert.deepEqual(panel.requests(), [
      { name: 'answer', parameters: { turn: 'turn', call: 'c', choices: [0, 2], text: 'Both.' } },
    ]);
  });

  it('can be answered after its window was closed, but not after Stop', async () => {
    const stopped = call({ status: 'stopped', question: undefined });
    const interrupted = await open(stopped, { status: 'cut', endedAt: 9 });
    assert.equal(choices(interrupted).length, 3);
    interrupted.close();
    const panel = await open(stopped, { status: 'stopped', endedAt: 9 });
    assert.equal(choices(panel).length, 0);
    assert.match(panel.element(question).textContent, /Not answered$/);
  });

  it('shows the answer', async () => {
    const result = 'The person chose: SQLite\nThe person wrote: In data.\nThe person wrote: x';
    const panel = await open(call({ status: 'done', result, question: undefined }));
    assert.equal(
      panel.element(`${question} .model-question-answer`).textContent,
      'SQLite\nIn data.\nThe person wrote: x',
    );
  });
});
