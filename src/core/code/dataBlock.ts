import { cutText } from '../support/cutText.ts';
import { fenceFor } from '../support/fenceFor.ts';
import { revealInvisible } from '../support/invisible.ts';

/** A text of the workspace as fenced data, below a line that says what it is. */
export function dataBlock(title: string, text: string, language = ''): string {
  const fence = fenceFor(text);
  const end = text === '' || text.endsWith('\n') ? '' : '\n';
  return `${title}:\n${fence}${language.replace(/[^\w+#.-]/g, '')}\n${text}${end}${fence}`;
}

/** A name, or a message, of the workspace on one line, with invisible characters made visible. */
export function oneLine(text: string, most = 500): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return revealInvisible(line.length > most ? `${cutText(line, most)}…` : line).text;
}
