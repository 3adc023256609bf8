import * as l10n from '@vscode/l10n';
import { background } from '../../core/support/background.ts';
import { revealInvisible } from '../../core/support/text.ts';
import type { AttachmentChip } from '../../protocol/messages.ts';
import { Icon, IconButton } from '../parts/controls.tsx';
import { TruncatedName } from '../parts/cutText.tsx';
import { tokensText } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';
import { Thumbnail } from '../parts/thumbnail.tsx';
import { requestFor, type WrittenField, type WrittenMessage } from '../state/writtenMessage.ts';
import { insertAsText } from './pastedText.ts';

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
  const target = requestFor(message.edited);
  const word = stateWord(chip);
  const { id, name, icon, state } = chip;
  const remove = async (): Promise<void> => {
    if (await store.request('remove-attachment', { attachment: id, ...target }))
      store.announce(l10n.t('Removed: {0}', revealInvisible(name).text));
  };
  return (
    <span class={`chip attachment ${state}${chip.image === undefined ? '' : ' image'}`}>
      <button
        type="button"
        class="chip-open"
        aria-label={spokenName(chip)}
        title={describe(chip)}
        onClick={() => store.post('show-attachment', { attachment: id, ...target })}
      >
        {chip.image === undefined ? (
          <Icon name={icon} />
        ) : (
          <Thumbnail
            hash={chip.image}
            name={name}
            isNamed
            original={chip.isOriginal === true ? { attachment: id, ...target } : undefined}
          />
        )}
        <TruncatedName name={name} />
        {hasTokens(chip) && <span class="chip-tokens">{tokensText(chip.tokens, true)}</span>}
        {word !== '' && <span class="chip-state">{word}</span>}
      </button>
      {chip.isPasted === true && (
        <IconButton
          icon="insert"
          name={l10n.t('Insert {0} as Text', revealInvisible(name).text)}
          onClick={() => background(insertAsText(store, id, { message, field }))}
        />
      )}
      <IconButton
        icon="close"
        name={l10n.t('Remove {0}', revealInvisible(name).text)}
        onClick={() => {
          // This button is removed. The composer gets focus anyway.
          if (message.edited !== undefined) field.focus();
          background(remove());
        }}
      />
    </span>
  );
}

/** Tokens that were sent before aren't billed as new. */
function hasTokens({ state }: AttachmentChip): boolean {
  return state !== 'unchanged' && state !== 'left-out';
}

function stateWord(chip: AttachmentChip): string {
  switch (chip.state) {
    case 'unchanged':
      return l10n.t('Already sent');
    case 'changed':
      return l10n.t('Changed');
    case 'left-out':
      return chip.isMissing === true ? l10n.t('Not in use') : l10n.t('Excluded');
    case 'attached':
    case 'offered':
      return '';
  }
}

/** The accessible name, since the visible name is split into two elements. */
function spokenName(chip: AttachmentChip): string {
  const tokens = hasTokens(chip) ? tokensText(chip.tokens, true) : '';
  return [revealInvisible(chip.name).text, tokens, stateWord(chip)]
    .filter((word) => word !== '')
    .join(', ');
}

function describe(chip: AttachmentChip): string {
  const path = revealInvisible(chip.path).text;
  return [
    ...(path === '' ? [] : [path]),
    ...(chip.isInstructions === true ? instructionText(chip) : [stateText(chip)]),
  ].join('\n');
}

function instructionText({
  state,
  tokens,
  isPreset,
  isMissing,
}: AttachmentChip): readonly string[] {
  if (isMissing === true) {
    return [
      l10n.t("Preset of this chat, not in use: it isn't in this workspace, or that isn't trusted."),
    ];
  }
  if (state === 'left-out') return [leftOutText()];
  if (state === 'offered') return [l10n.t('Workspace instructions, not in use. Click to review.')];
  const count = tokensText(tokens, true);
  const size =
    state === 'changed'
      ? l10n.t('Changed since you allowed it: {0}. Click to see the changes.', count)
      : count;
  const what =
    isPreset === true
      ? l10n.t('Preset of this chat.')
      : l10n.t('Instructions sent with your messages.');
  return [what, size];
}

function leftOutText(): string {
  return l10n.t('Excluded from this chat. Include it again in Next Request.');
}

function stateText({ state, tokens }: AttachmentChip): string {
  const count = tokensText(tokens, true);
  switch (state) {
    case 'offered':
      return l10n.t('Not attached. Click to attach ({0}).', count);
    case 'unchanged':
      return l10n.t('Already sent and unchanged. Not sent again.');
    case 'changed':
      return l10n.t('Changed since it was sent: {0}. Click to see the changes.', count);
    case 'attached':
      return count;
    case 'left-out':
      return leftOutText();
  }
}
