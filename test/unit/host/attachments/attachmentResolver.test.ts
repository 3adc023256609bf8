import assert from 'node:assert/strict';
import type { Attachment } from '../../../../src/core/conversation/conversation.ts';
import { base64Of } from '../../../../src/core/support/image.ts';
import { AttachmentResolver } from '../../../../src/host/attachments/attachmentResolver.ts';
import { AttachmentApproval } from '../../../../src/host/context/attachmentApproval.ts';
import { UserError } from '../../../../src/host/platform/errors.ts';
import { consentsWith } from '../../../support/consentsWith.ts';
import { dialogsWith } from '../../../support/dialogsWith.ts';
import { imageBytes } from '../../../support/images.ts';

function resolverWith(attached: Attachment[]): AttachmentResolver {
  const dialogs = dialogsWith({});
  return new AttachmentResolver({
    composer: {
      attachments: attached,
      attach: (attachment) => attached.push(attachment),
      remove: () => undefined,
    },
    approval: new AttachmentApproval(consentsWith(dialogs), () => Promise.resolve([])),
    dialogs,
    filesIn: () => Promise.resolve([]),
    requireImages() {
      throw new UserError('This model takes no images.');
    },
    saveImage: () => assert.fail('It was stored.'),
  });
}

describe('a pasted image', () => {
  it('is neither stored nor attached if the selected model takes none', async () => {
    const attached: Attachment[] = [];
    const image = { name: 'a.png', base64: base64Of(imageBytes.png(4, 3)) };
    await assert.rejects(resolverWith(attached).attachImage(image), /takes no images/);
    assert.deepEqual(attached, []);
  });
});

describe('files that cannot be attached', () => {
  const problemOf = async (count: number): Promise<string> => {
    const addresses = Array.from({ length: count }, (_, index) => `relative-${index}`);
    const attaching = resolverWith([]).attachAddresses(addresses);
    return attaching.then(() => assert.fail('They were attached.'), String);
  };

  it('are named, and counted if there are more than four', async () => {
    const four = await problemOf(4);
    assert.match(four, /relative-0.*relative-3/);
    assert.doesNotMatch(four, /more/);
    const five = await problemOf(5);
    assert.match(five, /relative-2.*2 more files couldn't be attached/);
    assert.doesNotMatch(five, /relative-3/);
  });
});
