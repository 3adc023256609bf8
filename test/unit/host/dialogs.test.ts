import assert from 'node:assert/strict';
import { withoutVsCode } from '../../support/withoutVsCode.ts';

const { escapeNotification: withoutLinks } = await withoutVsCode(
  () => import('../../../src/host/dialogs.ts'),
);

describe('withoutLinks', () => {
  it('leaves nothing that a notification takes for a link', () => {
    const link = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)[^)\s]+\)/;
    for (const target of ['command:aside.removeApiKey', 'https://evil.example', 'file:///etc']) {
      const text = `Click [here](${target}) or [there]](${target}).`;
      assert.match(text, link);
      assert.doesNotMatch(withoutLinks(text), link);
    }
  });

  it('leaves other text as it is', () => {
    assert.equal(withoutLinks('a [b] (c) list[0]'), 'a [b] (c) list[0]');
  });
});
