import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commitMessages } from '../../../../src/core/code/commitPrompt.ts';
import { planReview } from '../../../../src/core/code/reviewPrompt.ts';
import { ReviewReader } from '../../../../src/core/code/reviewReply.ts';
import { replyToCommit, replyToReview } from '../../../../src/local/demo/review.ts';
import { edited, english, requestMessages, report, taskOf, temperature } from './demoEdits.ts';

const { commits, reasons } = english.texts;
const { otherCode: otherCodeText } = english.texts.general;

interface NewFile {
  readonly path: string;
  readonly text: string;
}

function addition({ path, text }: NewFile): { readonly path: string; readonly diff: string } {
  const lines = text.replace(/\n$/, '').split('\n');
  return { path, diff: `@@ -0,0 +1,${lines.length} @@\n+${lines.join('\n+')}\n` };
}

const sample = [
  { path: 'src/temperature.ts', text: temperature },
  { path: 'server/report.py', text: report },
];

/** Paths and lines with comments of the demo; its other text if there are no comments. */
function review(files: readonly NewFile[]): readonly string[] {
  const [request] = planReview(files.map(addition), '').requests;
  assert.ok(request);
  const reply = replyToReview(requestMessages(request.messages), english);
  assert.ok(reply !== undefined);
  const reader = new ReviewReader(request.files);
  const comments = reader
    .push(reply)
    .map(({ path, lines }) => `${path} ${lines.join('\n').trim()}`);
  return reader.words === '' ? comments : [reader.words];
}

describe('the review of the demo', () => {
  it('has two comments on its sample, each on the lines that its fix changes', () => {
    const [average = '', columns = '', ...more] = review(sample);
    assert.equal(average, 'src/temperature.ts average(): number {');
    assert.match(columns, /^server\/report\.py lines = \[.*\n {4}return ".*\]\)$/);
    assert.deepEqual(more, []);
  });

  it('finds nothing once these lines are fixed', () => {
    const fixed = sample.map(({ path, text }) => {
      const language = path.endsWith('.py') ? 'python' : 'typescript';
      return { path, text: edited({ path, language, text, task: taskOf('fix') }) ?? '' };
    });
    assert.deepEqual(review(fixed), []);
  });

  it('fixes only what each comment is about', () => {
    for (const name of ['average', 'columns'] as const) {
      const comment = english.texts.reviews[name];
      const task = `Do what this comment of a code review asks for, and change nothing else. It is about line 1.\n\n${comment}`;
      const [path, text] =
        name === 'average' ? ['src/temperature.ts', temperature] : ['server/report.py', report];
      const language = name === 'average' ? 'typescript' : 'python';
      const wanted = edited({ path, language, text, task: taskOf('fix') });
      assert.equal(edited({ path, language, text, task }), wanted);
    }
  });

  it('says about any other code that it only knows its sample', () => {
    fc.assert(
      fc.property(fc.constantFrom('a.ts', 'src/temperature.ts'), fc.nat(), (path, number) => {
        const text = `export const other = ${number};\n`;
        assert.deepEqual(review([{ path, text }]), [otherCodeText]);
      }),
    );
  });

  it('applies only to review requests', () => {
    assert.equal(
      replyToReview([{ role: 'user', content: 'Review these changes.' }], english),
      undefined,
    );
    assert.equal(replyToReview([], english), undefined);
  });
});

describe('the commit message of the demo', () => {
  const messageFor = (...diffs: readonly { path: string; diff: string }[]): string | undefined =>
    replyToCommit(requestMessages(commitMessages(diffs, ['Say hello'], '')), english);

  it('describes the change', () => {
    const lines = [
      '+    width = max([12, *(len(day.station) + 1 for day in days)])',
      '+    lines = [f"{day.station:<{width}}{day.lowest:6.1f}{day.highest:6.1f}" for day in days]',
      `+    return "\\n".join([f"{'station':<{width}}{'low':>6}{'high':>6}", *lines])`,
    ];
    const columns = { path: 'server/report.py', diff: `@@ -1,2 +1,3 @@\n${lines.join('\n')}\n` };
    assert.equal(messageFor(columns), `${commits.columns}\n\n${reasons.columns}`);
    const slots = {
      path: 'server/report.py',
      diff: '@@ -6 +6 @@\n-@dataclass(frozen=True)\n+@dataclass(frozen=True, slots=True)\n',
    };
    assert.equal(messageFor(slots), commits.slots);
    assert.match(messageFor(columns, slots) ?? '', /^Widen .*\n\n.*\.\nGive days slots.*\.$/);
  });

  it('has a first line of at most 72 characters', () => {
    for (const commit of Object.values(commits)) assert.ok(commit.length <= 72, commit);
  });

  it('describes a new sample, and says for other code that it only knows its sample', () => {
    assert.equal(messageFor(...sample.map(addition)), commits.sample);
    assert.equal(messageFor(addition({ path: 'a.ts', text: 'a();\n' })), otherCodeText);
    assert.equal(
      replyToCommit([{ role: 'user', content: 'Write the commit message.' }], english),
      undefined,
    );
  });
});
