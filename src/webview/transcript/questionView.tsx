import * as l10n from '@vscode/l10n';
import { useId, useState } from 'preact/hooks';
import type { ToolCallPart } from '../../core/conversation/conversation.ts';
import {
  isOpenQuestion,
  longestAnswer,
  shownAnswer,
  type Question,
} from '../../core/conversation/question.ts';
import { background } from '../../core/support/background.ts';
import { revealInvisible } from '../../core/support/text.ts';
import { ChangeButton, Icon, isPlainEnter } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';

interface Props {
  readonly turn: string;
  readonly part: ToolCallPart;
  readonly question: Question;
  readonly index: number;
}

/**
 * A question of the model, with its choices while it can be answered, and then with the answer. All
 * texts come from the model and are rendered as text only.
 */
export function QuestionView({ turn, part, question, index }: Props) {
  const store = useStore();
  const newest = store.running.value ?? store.shown.turns.value.at(-1);
  const isOpen = newest?.id === turn && store.shown.hasEnd.value && isOpenQuestion(part, newest);
  const text = revealInvisible(question.text).text;
  // A question that is asked again after a reload is another form, with nothing chosen.
  const formKey = newest?.endedAt === undefined ? 'asking' : 'interrupted';
  return (
    <div
      class="model-question"
      role="group"
      aria-label={l10n.t('Question: {0}', text)}
      data-place={index}
    >
      <div class="model-question-text">
        <Icon name="question" />
        <span>{text}</span>
      </div>
      {isOpen ? (
        <AnswerForm key={formKey} turn={turn} call={part.id} question={question} />
      ) : (
        <Answer part={part} />
      )}
    </div>
  );
}

function Answer({ part: { result, status } }: Pick<Props, 'part'>) {
  if (result !== undefined)
    return <div class="model-question-answer">{revealInvisible(shownAnswer(result)).text}</div>;
  if (status === 'waiting' || status === 'running') return null;
  return <div class="tool-note">{l10n.t('Not answered')}</div>;
}

interface FormProps extends Pick<Props, 'turn' | 'question'> {
  readonly call: string;
}

/** Nothing is chosen at first, and only the button or Enter in the text answers. */
function AnswerForm({ turn, call, question: { choices, several } }: FormProps) {
  const store = useStore();
  const name = useId();
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const [words, setWords] = useState('');
  const isReadOnly = store.readOnly.value !== undefined;
  const isEmpty = chosen.length === 0 && words.trim() === '';
  const choose = (at: number, isChosen: boolean): void =>
    setChosen((before) => {
      const others = several ? before.filter((other) => other !== at) : [];
      return isChosen ? [...others, at] : others;
    });
  const answer = (): void => {
    if (!isEmpty && !isReadOnly)
      background(store.call('answer', { turn, call, choices: [...chosen], text: words }));
  };
  return (
    <>
      <div
        class="model-question-choices"
        role={several ? 'group' : 'radiogroup'}
        aria-label={several ? l10n.t('Choices, several possible') : l10n.t('Choices')}
      >
        {choices.map(({ label, detail }, at) => (
          <label key={at}>
            <input
              type={several ? 'checkbox' : 'radio'}
              name={name}
              checked={chosen.includes(at)}
              disabled={isReadOnly}
              onChange={(event) => choose(at, event.currentTarget.checked)}
            />
            <span>
              <span class="model-question-label">{revealInvisible(label).text}</span>
              {detail !== '' && (
                <span class="model-question-detail">{revealInvisible(detail).text}</span>
              )}
            </span>
          </label>
        ))}
      </div>
      <div class="button-row">
        <input
          class="field"
          type="text"
          aria-label={l10n.t('In your own words')}
          placeholder={l10n.t('In your own words')}
          maxLength={longestAnswer}
          value={words}
          disabled={isReadOnly}
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (!isPlainEnter(event) || words.trim() === '') return;
            event.preventDefault();
            answer();
          }}
        />
        <ChangeButton isDeliberate disabled={isEmpty} onClick={answer}>
          {l10n.t('Answer')}
        </ChangeButton>
      </div>
    </>
  );
}
