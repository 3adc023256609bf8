import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  decisionAbout,
  mostConsents,
  type ConsentQuestion,
  type ConsentSubject,
} from '../../../../src/host/approval/consents.ts';
import { consentsWith } from '../../../support/consentsWith.ts';
import { runs } from '../../../support/sample.ts';

const question: ConsentQuestion = { message: 'Use it?', detail: '', yes: 'Use', no: "Don't Use" };
const file: ConsentSubject = { kind: 'offer', path: 'a.prompt.md', hash: '1' };

/** Dialogs that give these answers and record the questions. */
function dialogsAnswering(...answers: readonly (boolean | undefined)[]) {
  const open = [...answers];
  const questions: string[] = [];
  const answer = (message: string): Promise<boolean | undefined> => {
    questions.push(message);
    return Promise.resolve(open.shift());
  };
  const confirm = async (message: string): Promise<boolean> => (await answer(message)) ?? false;
  return { questions, dialogs: { decide: answer, confirm } };
}

describe('consents', () => {
  it('are asked for once for each kind, workspace, path and content, also over a reload', async () => {
    const part = fc.constantFrom('a', 'b');
    const subject = fc.record({
      kind: fc.constantFrom('offer' as const, 'instructions' as const),
      path: part,
      hash: part,
      isOwn: fc.boolean(),
    });
    const step = fc.record({ subject, workspace: part, answer: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const stored = new Map<string, unknown>();
        /** The last decision on each file: its content and the answer. */
        const model = new Map<string, readonly [string, boolean]>();
        for (const { subject: wanted, workspace, answer } of steps) {
          const { questions, dialogs } = dialogsAnswering(answer);
          const consents = consentsWith(dialogs, stored, workspace);
          const { kind, path, hash, isOwn } = wanted;
          const key = JSON.stringify([kind, path, isOwn ? '' : workspace]);
          const known = model.get(key);
          const expected = known?.[0] === hash ? known[1] : undefined;
          assert.equal(await consents.known(wanted), expected);
          assert.equal(await consents.allows(wanted, question), expected ?? answer);
          assert.equal(questions.length, expected === undefined ? 1 : 0);
          model.set(key, [hash, expected ?? answer]);
        }
      }),
      { seed: 5, numRuns: runs(200) },
    );
  });

  it('show what they are about before the person answers, as often as wanted', async () => {
    for (const [button, answer] of [
      ['Use', true],
      ["Don't Use", false],
      [undefined, undefined],
    ] as const) {
      const answers = ['Preview', 'Preview', button];
      const buttons: (readonly string[])[] = [];
      const consents = consentsWith({
        choose(request) {
          buttons.push(request.buttons);
          return Promise.resolve(answers.shift());
        },
      });
      let shown = 0;
      const preview = { button: 'Preview', show: () => Promise.resolve(shown++) };
      assert.equal(await consents.ask(file, { ...question, preview }), answer);
      assert.equal(shown, 2);
      assert.equal(await consents.known(file), answer);
      assert.deepEqual(buttons[2], ["Don't Use", 'Preview', 'Use']);
    }
  });

  it('hold for exactly the content that was allowed, and for any content of a refused file', async () => {
    const part = fc.constantFrom('a', 'b', 'c');
    const steps = fc.array(fc.record({ path: part, hash: part, isAllowed: fc.boolean() }));
    await fc.assert(
      fc.asyncProperty(steps, part, part, async (decided, path, hash) => {
        const consents = consentsWith({});
        for (const { isAllowed, ...subject } of decided)
          await consents.set({ kind: 'skill', ...subject }, isAllowed, subject.hash);
        const last = decided.findLast((step) => step.path === path);
        const hasChanged = last?.isAllowed === true && last.hash !== hash;
        assert.deepEqual(decisionAbout({ path, hash }, await consents.list('skill')), {
          isAllowed: hasChanged ? undefined : last?.isAllowed,
          hasChanged,
          allowedText: hasChanged ? last.hash : undefined,
        });
      }),
      { seed: 5, numRuns: runs(200) },
    );
  });

  it('share an open dialog about the same subject', async () => {
    const { questions, dialogs } = dialogsAnswering(true, false);
    const consents = consentsWith(dialogs);
    const other = { ...file, path: 'b.prompt.md' };
    const answers = [file, file, other].map((subject) => consents.allows(subject, question));
    assert.deepEqual(await Promise.all(answers), [true, true, false]);
    assert.equal(questions.length, 2);
  });

  it('are asked for again after the person cancels, or closes a dialog that only allows', async () => {
    const { questions, dialogs } = dialogsAnswering(undefined, false, undefined, false, false);
    const consents = consentsWith(dialogs);
    const { no, ...allowing } = question;
    assert.ok(no);
    for (let time = 0; time < 2; time++) {
      assert.equal(await consents.allows(file, question), undefined);
      const attachment = { ...file, kind: 'attachment' } as const;
      assert.equal(await consents.allows(attachment, allowing), false);
    }
    const caller = { kind: 'caller', path: 'host some.extension', hash: '' } as const;
    for (let time = 0; time < 2; time++)
      assert.equal(await consents.allows(caller, { ...allowing, isClosingNo: true }), false);
    assert.equal(questions.length, 5);
  });

  it('end with the window for attachments and callers, and if a workspace has no identity', async () => {
    for (const [kind, workspace] of [
      ['attachment', 'here'],
      ['caller', 'here'],
      ['offer', ''],
    ] as const) {
      const stored = new Map<string, unknown>();
      const consents = consentsWith({}, stored, workspace);
      await consents.set({ ...file, kind }, true);
      assert.equal(await consents.known({ ...file, kind }), true);
      assert.deepEqual([...stored.keys()], []);
    }
    const ofPerson = new Map<string, unknown>();
    await consentsWith({}, ofPerson, '').set({ ...file, isOwn: true }, true);
    assert.equal(await consentsWith({}, ofPerson, 'there').known({ ...file, isOwn: true }), true);
  });

  it('are at most 500 of a kind, without the oldest', async () => {
    const consents = consentsWith({});
    for (const kind of ['offer', 'caller'] as const) {
      for (let index = 0; index <= mostConsents; index++)
        await consents.set({ kind, path: `${index}`, hash: '' }, true);
      const paths = (await consents.list(kind)).map(({ path }) => path);
      assert.deepEqual([paths.length, paths[0], paths.at(-1)], [mostConsents, '1', '500']);
    }
  });

  it('are dropped if the stored record is damaged or of another version', async () => {
    const stored = new Map<string, unknown>();
    await consentsWith({}, stored).set(file, true);
    const [key = ''] = stored.keys();
    for (const damaged of [undefined, 'x', { version: 2, consents: [] }, { version: 1 }]) {
      stored.set(key, damaged);
      assert.deepEqual(await consentsWith({}, stored).list(file.kind), []);
    }
  });
});
