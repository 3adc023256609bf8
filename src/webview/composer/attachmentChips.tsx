import * as l10n from '@vscode/l10n';
import { background } from '../../core/support/background.ts';
import { revealInvisible } from '../../core/support/text.ts';
import type { AttachmentChip } from '../../protocol/messages.ts';
import { Icon, IconButton } from '../parts/controls.tsx';
import { TruncatedName } from '../parts/cutText.tsx';
import { tokensText } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';
import { Thumbnail } from '../parts/thumbnail.tsx';
import type { WrittenField, WrittenMessage } from '../state/draft.ts';
import { insertAsText } from './dropAndPaste.tsx';

interface ChipsProps {
  readonly attachments: readonly AttachmentChip[];
  readonly message: WrittenMessage;
  readonly field: HTMLTextAreaElement;
}

/** Files attached to a message, and files that are suggested as attachments. */
export function AttachmentChips({ attachments, ...written }: ChipsProps) {
  return (
    <>
      {attachments.map((chip) =>
        chip.state === 'offered' ? (
          <OfferedChip key={chip.id} chip={chip} />
        ) : (
          <AttachedChip key={chip.id} chip={chip} {...written} />
        ),
      )}
    </>
  );
}

interface Props {
  readonly chip: AttachmentChip;
}

function OfferedChip({ chip }: Props) {
  const store = useStore();
  return (
    <button
      type="button"
      class="chip offered"
      aria-label={l10n.t('Attach {0}', revealInvisible(chip.name).text)}
      title={describe(chip)}
      onClick={() => store.post('attach-offered', { attachment: chip.id })}
    >
      <Icon name="add" />
      <TruncatedName name={chip.name} />
      <span class="chip-tokens" aria-hidden="true">
        {tokensText(chip.tokens, true)}
      </span>
    </button>
  );
}

function AttachedChip({ chip, message, field }: Props & WrittenField) {
  const store = useStore();
  const { edited } = message;
  const { id, name, icon, state } = chip;
  const label = revealInvisible(name).text;
  // Tokens that were sent before aren't billed as new.
  const isSent = state === 'unchanged' || state === 'left-out';
  const tokens = isSent ? '' : tokensText(chip.tokens, true);
  const words: Readonly<Record<typeof state, string>> = {
    unchanged: l10n.t('Already sent'),
    changed: l10n.t('Changed'),
    'left-out': chip.isMissing === true ? l10n.t('Not in use') : l10n.t('Excluded'),
    attached: '',
    offered: '',
  };
  const word = words[state];
  const remove = async (): Promise<void> => {
    if (await store.call('remove-attachment', { attachment: id, edited }))
      store.announce(l10n.t('Removed: {0}', label));
  };
  return (
    <span class={`chip attachment ${state}${chip.image === undefined ? '' : ' image'}`}>
      <button
        type="button"
        class="chip-open"
        // The visible name is split into two elements.
        aria-label={[label, tokens, word].filter((part) => part !== '').join(', ')}
        title={describe(chip)}
        onClick={() => store.post('show-attachment', { attachment: id, edited })}
      >
        {chip.image === undefined ? (
          <Icon name={icon} />
        ) : (
          <Thumbnail
            hash={chip.image}
            name={name}
            isNamed
            original={chip.isOriginal === true ? { attachment: id, edited } : undefined}
          />
        )}
        <TruncatedName name={name} />
        {tokens !== '' && <span class="chip-tokens">{tokens}</span>}
        {word !== '' && <span class="chip-state">{word}</span>}
      </button>
      {chip.isPasted === true && (
        <IconButton
          icon="insert"
          name={l10n.t('Insert {0} as Text', label)}
          onClick={() => background(insertAsText(store, id, { message, field }))}
        />
      )}
      <IconButton
        icon="close"
        name={l10n.t('Remove {0}', label)}
        onClick={() => {
          // This button is removed. The composer gets focus anyway.
          if (message.edited !== undefined) field.focus();
          background(remove());
        }}
      />
    </span>
  );
}

/** The path, and what is sent of it. */
function describe(chip: AttachmentChip): string {
  const { state, tokens, isInstructions = false, isPreset = false } = chip;
  const path = revealInvisible(chip.path).text;
  const lines = path === '' ? [] : [path];
  const count = tokensText(tokens, true);
  const excluded = l10n.t('Excluded from this chat. Include it again in Next Request.');
  const texts: Readonly<Record<typeof state, string>> = {
    offered: l10n.t('Not attached. Click to attach ({0}).', count),
    unchanged: l10n.t('Already sent and unchanged. Not sent again.'),
    changed: l10n.t('Changed since it was sent: {0}. Click to see the changes.', count),
    attached: count,
    'left-out': excluded,
  };
  if (!isInstructions) lines.push(texts[state]);
  else if (chip.isMissing === true)
    lines.push(
      l10n.t("Preset of this chat, not in use: it isn't in this workspace, or that isn't trusted."),
    );
  else if (state === 'left-out') lines.push(excluded);
  else if (state === 'offered')
    lines.push(l10n.t('Workspace instructions, not in use. Click to review.'));
  else
    lines.push(
      isPreset ? l10n.t('Preset of this chat.') : l10n.t('Instructions sent with your messages.'),
      state === 'changed'
        ? l10n.t('Changed since you allowed it: {0}. Click to see the changes.', count)
        : count,
    );
  return lines.join('\n');
}
