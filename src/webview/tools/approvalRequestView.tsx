import * as l10n from '@vscode/l10n';
import type { ApprovalRequest } from '../../core/conversation/conversation.ts';
import type { ViewRequest } from '../../protocol/messages.ts';
import { Icon } from '../parts/controls.tsx';
import { FileList, FileName, LineCounts } from '../parts/fileList.tsx';
import { useStore } from '../parts/hooks.ts';

type Decision = Extract<ViewRequest, { type: 'decide' }>['decision'];

interface Props {
  /** Identifier of the turn. */
  readonly turn: string;
  /** Identifier of the call. */
  readonly call: string;
  readonly question: ApprovalRequest;
}

/**
 * A decision that a call waits for. Only an edit that is not protected is decided here, which the
 * host checks once more; for all else there is a dialog of VS Code.
 */
export function ApprovalRequestView({ turn, call, question: request }: Props) {
  if (request.by === 'panel') return <PanelApproval turn={turn} call={call} question={request} />;
  return (
    <div class="tool-note">
      <Icon name="shield" />
      <span class="tool-words">{l10n.t('Respond in the dialog to continue')}</span>
    </div>
  );
}

function PanelApproval({ turn, call, question: { files, forChat } }: Props) {
  const store = useStore();
  const review = (path?: string): void => void store.request({ type: 'review', turn, call, path });
  return (
    <div class="tool-question">
      <FileList items={files} keyOf={({ path }) => path}>
        {({ path, kind, addedLines, removedLines }) => (
          <>
            {/* For the mouse: by keyboard all of them are reached with Review Diff. */}
            <FileName path={path} kind={kind} onClick={() => review(path)} tabIndex={-1} />
            <LineCounts added={addedLines} removed={removedLines} />
          </>
        )}
      </FileList>
      <div class="button-row">
        <button type="button" class="button secondary" onClick={() => review()}>
          {l10n.t('Review Diff')}
        </button>
        <DecideButton turn={turn} call={call} decision="once" name={l10n.t('Allow Once')} />
        {forChat && (
          <DecideButton
            turn={turn}
            call={call}
            decision="chat"
            name={l10n.t('Allow in This Chat')}
          />
        )}
        <DecideButton turn={turn} call={call} decision="deny" name={l10n.t('Deny')} />
      </div>
    </div>
  );
}

interface DecideProps {
  readonly turn: string;
  readonly call: string;
  readonly decision: Decision;
  readonly name: string;
}

function DecideButton({ turn, call, decision, name }: DecideProps) {
  const store = useStore();
  return (
    <button
      type="button"
      class={decision === 'once' ? 'button' : 'button secondary'}
      onClick={({ currentTarget }) => {
        // The button goes away, and the next question may be in the next card.
        currentTarget.closest('details')?.querySelector('summary')?.focus();
        void store.request({ type: 'decide', turn, call, decision });
      }}
    >
      {name}
    </button>
  );
}
