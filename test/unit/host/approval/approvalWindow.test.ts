import assert from 'node:assert/strict';
import type { DialogRequest } from '../../../../src/core/approval/gate.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { target } from '../../core/approval/policyRig.ts';

/** A window in which Escape is pressed: VS Code resolves with the cancel button. */
const window = `
  export const dialogs = [];
  export const env = { language: 'en' };
  export const l10n = { t: (text) => text };
  export const window = {
    showWarningMessage(message, options, ...items) {
      dialogs.push({ modal: options.modal, items });
      return Promise.resolve(items.find(({ isCloseAffordance }) => isCloseAffordance));
    },
  };
`;

const modules = await withFakeVsCode(window, async () => {
  const { VscodeApprovalWindow, ApprovalDialog } =
    await import('../../../../src/host/approval/approvalDialog.ts');
  return { VscodeApprovalWindow, ApprovalDialog };
});

describe('Escape in a dialog for approval', () => {
  const cwd = target('packages/app', { kind: 'folder' });
  const requests: readonly DialogRequest[] = [
    { subject: { type: 'read', target: target('/etc/hosts') }, reason: 'outside', offers: [] },
    {
      subject: { type: 'run', command: 'npm test', shell: 'bash', cwd },
      reason: 'run',
      offers: [
        {
          lifetime: 'chat',
          scope: { type: 'command', command: 'npm test', folder: cwd.location, shell: 'bash' },
        },
      ],
    },
  ];

  for (const request of requests) {
    it(`denies the request: ${request.subject.type}`, async () => {
      const unused = (): Promise<never> => Promise.reject(new Error('not used'));
      const { VscodeApprovalWindow, ApprovalDialog } = modules;
      const dialogs = new VscodeApprovalWindow({ show: unused, close: unused }, { show: unused });
      const clock = new ManualClock();
      const dialog = new ApprovalDialog({
        dialogs: {
          ask: async (...parameters) => {
            // Longer than a person needs to read it.
            await clock.advance(60_000);
            return dialogs.ask(...parameters);
          },
          open: unused,
          reason: unused,
          remind: unused,
        },
        runsAs: { host: 'devbox', user: 'me' },
        clock,
      });
      const response = await dialog.ask(request, new AbortController().signal);
      assert.deepEqual(response, { type: 'deny' });
    });
  }
});
