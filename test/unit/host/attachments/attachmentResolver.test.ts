import assert from 'node:assert/strict';
import type { Attachment } from '../../../../src/core/conversation/conversation.ts';
import { base64Of } from '../../../../src/core/support/image.ts';
import { AttachmentResolver } from '../../../../src/host/attachments/attachmentResolver.ts';
import { AttachmentApproval } from '../../../../src/host/context/attachmentApproval.ts';
import { UserError } from '../../../../src/host/errors.ts';
import { consentsWith } from '../../../support/consentsWith.ts';
import { dialogsWith } from '../../../support/dialogsWith.ts';
import { imageBytes } from '../../../support/images.ts';

describe('a pasted image', () => {
  it('is neither stored nor attached if the selected model takes none', async () => {
    const attached: Attachment[] = [];
    const dialogs = dialogsWith({});
    const resolver = new AttachmentResolver({
      composer: {
        attachments: attached,
        attach: (attachment) => attached.push(attachment),
        remove: () => undefined,
      },
      approval: new AttachmentApproval({
        consents: consentsWith(dialogs),
        denied: () => Promise.resolve([]),
      }),
      dialogs,
      filesIn: () => Promise.resolve([]),
      requireImages() {
        throw new UserError('This model takes no images.');
      },
      saveImage: () => assert.fail('It was stored.'),
    });
    const image = { name: 'a.png', base64: base64Of(imageBytes.png(4, 3)) };
    await assert.rejects(resolver.attachImage(image), /takes no images/);
    assert.deepEqual(attached, []);
  });
});
