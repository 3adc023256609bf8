/**
 * Sets the translations of the page. Each script has its own copy of `@vscode/l10n`, so whatever is
 * the entry of a script imports this first.
 */
import * as l10n from '@vscode/l10n';

const translations = document.getElementById('l10n')?.textContent;
if (translations !== undefined && translations !== '') l10n.config({ contents: translations });
