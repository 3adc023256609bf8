import assert from 'node:assert/strict';
import { planReview } from '../../../src/core/code/reviewPrompt.ts';
import { ReviewReader } from '../../../src/core/code/reviewReply.ts';
import { fixReviewed, isReviewFix, replyToReview } from '../../../src/local/demoReview.ts';

/** What the demo says about the lines of a new file. */
function commentsOn(...lines: readonly string[]): readonly string[] {
  const diff = `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
  const [request] = planReview([{ path: 'src/a.ts', diff }], '').requests;
  assert.ok(request);
  const messages = request.messages.map(({ role, content }) => ({ role, content: content ?? '' }));
  const reply = replyToReview(messages);
  assert.ok(reply);
  const reader = new ReviewReader(request.files);
  const found = reader.push(reply.content);
  assert.equal(reader.words, '');
  return found.map(({ start, kind, text }) => `${start} ${kind} ${text.split(' ', 2).join(' ')}`);
}

describe('the review of the demo', () => {
  it('sees what is certainly worth a comment', () => {
    assert.deepEqual(
      commentsOn(
        'const a = 1;',
        'try { f(); } catch {}',
        'console.log(a);',
        'if (a === NaN) return;',
        'return celsius + 273.15;',
        '// TODO: more',
        '>>>>>>> main',
      ),
      [
        '2 risk The error',
        '3 suggestion This looks',
        '4 bug Nothing equals',
        '5 suggestion A named',
        '6 suggestion Something is',
      ],
    );
  });

  it('is silent where nothing is wrong', () => {
    assert.deepEqual(
      commentsOn('const kelvin = 273.15;', 'catch (error) { log(error); }', '====='),
      [],
    );
  });

  it('fixes what one of its comments is about, where that is certain', () => {
    const fixed = (comment: string, ...lines: readonly string[]): string | undefined => {
      const task = `Do what this comment of a code review asks for. It is about line 1.\n\n${comment}`;
      assert.ok(isReviewFix(task));
      return fixReviewed({ task, piece: lines.join('\n') });
    };
    const debugging = 'This looks like output from debugging. Remove it before you commit.';
    const lines = ['const a = 1;', '  console.log(a);', 'if (a) console.log(f(a));'];
    assert.equal(fixed(debugging, ...lines), `${lines[0]}\n${lines[2]}`);
    const unsafe = 'This address isn’t encrypted. Use `https` if the server has it.';
    const [before, after] = ['http://a http://localhost', 'https://a http://localhost'];
    assert.equal(fixed(unsafe, before), after);
    assert.equal(fixed('Something else.', ...lines), undefined);
  });

  it('is for the request of a review alone', () => {
    assert.equal(replyToReview([{ role: 'user', content: 'Review these changes.' }]), undefined);
    assert.equal(replyToReview([]), undefined);
  });
});
