/** Pseudo-classes to force, and the classes that replace them. */
const forced = [
  [/:hover\b/g, ':is(:hover, .forced-hover)'],
  [/:focus-visible\b/g, ':is(:focus-visible, .forced-focus)'],
  [/:focus-within\b/g, ':is(:focus-within, .forced-within)'],
  [/:focus(?![\w-])/g, ':is(:focus, .forced-focus)'],
] as const;

const focusable =
  'button, a[href], input, textarea, summary, [tabindex], pre[tabindex], .file-link, [role=option]';

/** Adds classes for states that only a person can cause to all style sheets of the page. */
export function armStyles(): void {
  for (const sheet of document.styleSheets) arm(sheet.cssRules);
}

function arm(rules: CSSRuleList): void {
  for (const rule of rules) {
    if (rule instanceof CSSImportRule && rule.styleSheet !== null) arm(rule.styleSheet.cssRules);
    if (rule instanceof CSSStyleRule) {
      const selector = forced.reduce(
        (text, [from, to]) => text.replace(from, to),
        rule.selectorText,
      );
      if (selector !== rule.selectorText) rule.selectorText = selector;
    } else if (rule instanceof CSSGroupingRule) arm(rule.cssRules);
  }
}

/** Applies hover and focus to all elements at once, or to none. */
export function force(isForced: boolean): void {
  for (const element of document.querySelectorAll('#root *')) {
    element.classList.toggle('forced-hover', isForced);
    element.classList.toggle('forced-within', isForced);
    element.classList.toggle('forced-focus', isForced && element.matches(focusable));
  }
}
