import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import type { RequestPageRequests, ShownRequestPart } from '../../protocol/requestMessages.ts';
import type { Post } from '../usage/tabPage.tsx';
import { canBePinned, fullName } from './requestWords.ts';

interface ChoiceProps {
  readonly post: Post<RequestPageRequests>;
}

/** The buttons to exclude or pin a part, or to revert that. */
export function PartChoiceButtons({
  part,
  post,
}: ChoiceProps & { readonly part: ShownRequestPart }): JSX.Element | undefined {
  const { choiceKey, choice, unsent } = part;
  if (choiceKey === undefined) return undefined;
  const isPinned = choice === 'pinned';
  const isLeftOut = unsent === 'left-out';
  const name = fullName(part);
  const choose = (next?: typeof choice): void => post('choose', chosen([choiceKey], next));
  return (
    <>
      {canBePinned(part) && (
        <ChoiceButton
          key="pin"
          icon="pin"
          isMade={isPinned}
          name={isPinned ? l10n.t('Unpin: {0}', name) : l10n.t('Pin: {0}', name)}
          click={() => choose(isPinned ? undefined : 'pinned')}
        />
      )}
      {unsent !== 'room' && (
        <ChoiceButton
          key="leave-out"
          icon={isLeftOut ? 'plus' : 'minus'}
          isMade={isLeftOut}
          name={isLeftOut ? l10n.t('Include: {0}', name) : l10n.t('Exclude: {0}', name)}
          click={() => choose(isLeftOut ? undefined : 'left-out')}
        />
      )}
    </>
  );
}

interface GroupProps extends ChoiceProps {
  readonly name: string;
  readonly parts: readonly ShownRequestPart[];
}

/** The button to exclude all parts of a group, or to include them again if none is sent. */
export function GroupChoiceButton({ name, parts, post }: GroupProps): JSX.Element | undefined {
  const keys = parts.flatMap(({ choiceKey }) => choiceKey ?? []);
  if (keys.length === 0) return undefined;
  const isSent = parts.some(({ unsent }) => unsent === undefined);
  return (
    <ChoiceButton
      icon={isSent ? 'minus' : 'plus'}
      isMade={!isSent}
      name={isSent ? l10n.t('Exclude All: {0}', name) : l10n.t('Include All: {0}', name)}
      click={() => post('choose', chosen(keys, isSent ? 'left-out' : undefined))}
    />
  );
}

export function PutAllBackButton({ parts, post }: Omit<GroupProps, 'name'>): JSX.Element {
  const keys = parts.flatMap(({ choiceKey, choice }) =>
    choice === 'left-out' ? (choiceKey ?? []) : [],
  );
  return (
    <button type="button" class="link" onClick={() => post('choose', chosen(keys))}>
      {l10n.t('Include All')}
    </button>
  );
}

/** SVG paths in a square of 16. */
const icons = {
  pin: 'M6 2h4l-.4 4.2L12.5 9h-9l2.9-2.8zM8 9v5',
  minus: 'M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11zM5.5 8h5',
  plus: 'M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11zM5.5 8h5M8 5.5v5',
} as const;

interface ButtonProps {
  readonly icon: keyof typeof icons;
  /** True if the choice is made: then the button reverts it and stays visible. */
  readonly isMade: boolean;
  /** Accessible name: the action and the part. */
  readonly name: string;
  readonly click: () => void;
}

function ChoiceButton({ icon, isMade, name, click }: ButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class={`icon-button ${isMade ? 'made' : ''}`}
      aria-label={name}
      title={name}
      onClick={click}
    >
      <svg class="request-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={icons[icon]} />
      </svg>
    </button>
  );
}

function chosen(
  parts: string[],
  choice?: ShownRequestPart['choice'],
): RequestPageRequests['choose'] {
  return { parts, ...(choice && { choice }) };
}
