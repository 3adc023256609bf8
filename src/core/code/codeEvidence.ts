/** How certain it is that a line without words for a person is code. */
type CodeEvidence = 'sure' | 'hint' | 'none';

const modifiers = String.raw`(?:(?:export|default|public|private|protected|internal|static|abstract|final|async|pub(?:\([^)]{0,40}\))?|unsafe|override|open|inline|extern|const|virtual|sealed|partial|readonly|declare|data|suspend|local|mutating)\s+)*`;
const declared =
  'var|let|const|val|my|our|local|global|export|public|private|protected|static|final|readonly|type|def|auto|int|string|bool|float|double|char|long|set|typedef|mut|let mut|lateinit|unsigned|constexpr|declare|export const|export let|export type|export default';
const name = String.raw`[\w$.:@!?<>"-]+`;
const type = String.raw`(?:int|void|char|bool|boolean|string|String|float|double|long|short|auto|unsigned|signed|size_t|byte|var|public|private|protected|static|final|const|virtual|inline|extern|std::\w+)`;

/** Lines that are code in nearly every language; none of them is superlinear on a line of 400 characters. */
const sure: readonly RegExp[] = [
  // Statements, and lines of brackets.
  /[;{}]$/,
  /^[)\]}]+[;,]?$/,
  /^\[[^\]]*[,"'=:(){}\d][^\]]*\],?$/,
  /^\((?:def|defn|define|let|lambda|fn|ns|require|import|setq|if|cond|when|print|format)\w*[\s)]/,
  // Assignments.
  new RegExp(
    String.raw`^(?!.*(?:[:?!]|[a-z]\.)$)(?:(?:${declared})\s+(?:[\w<>[\],?*&]+\s+)?)?[\w$@.[\]'":*&-]+\s*(?::[^=]{1,80})?[-+*/%|&^.:?<>]{0,2}=(?=[^=\s]|\s+\S)`,
  ),
  /[^<]<-|:=|=>|===|!==|[^=!<>]==[^=]|!=|&&|\|\||::\w|\w\+\+|(?:^|\s)\|>\s|\?\.\w|[\w)\]]\s*\?\?=?\s*[\w'\"(]/,
  // Calls.
  /^(?:(?:await|return|new|go|defer|try|yield|raise|throw|not)\s+|!)*[\w$@.:!?]*[\w$?!]\(.*\)(?:\s*[:;,?]|\.\w.*)?$/,
  /^(?:\.\w+[(\s]?|@[\w.]+(?:\(|$)|#(?:include|define|if|ifdef|ifndef|endif|pragma|undef|import)\b|#!?\[|\$\w+\s*(?:[-=.[|]|->)|%\w+\s*=)/,
  // Declarations and imports.
  new RegExp(
    String.raw`^${modifiers}(?:function\*?|func|fun|fn|def|defp|defmodule|sub|class|interface|struct|enum|trait|impl|record|object|namespace|module|package|type|protocol|extension|macro|proc|procedure)\s+${name}\s*(?:[({[<:=;]|(?:do|extends|implements|where|is|with)\b)`,
  ),
  new RegExp(String.raw`^${type}\s[\w$<>,*&:\[\]?\s]{0,120}[({;=]`),
  /^(?:def|sub|func|function|package|module|(?:(?:class|interface|struct|enum|trait|module|namespace|protocol|impl)(?=\s+[A-Z])))\s+[\w.:$]+$/,
  /^import\s+(?:["'{*<]|(?:type\s+)?[\w$.]+(?:\s*[;,{(]|\s+(?:from|as|qualified|static)\b|\.\*)|[A-Z]\w*$|\w+\.[\w.]+$)/,
  /^from\s+[\w.]+\s+import\b/,
  /^(?:using|use|open|require|include|require_relative)\s+(?:[A-Z][\w:.]*|\w*[:.'"<\\/][\w:.'"<>\\/-]*)$/,
  // Control flow.
  /^[})]?\s*(?:if|elif|else if|elsif|while|for|foreach|switch|match|case|when|unless|until|with|try|except|catch|finally|else|do|loop|guard|async with|async for)\b(?!\s(?:example|instance|now)).*(?::|\{|\bthen|\bdo)$/,
  /^(?:return|yield|raise|throw|await|assert)(?:\s+\S+){1,6}$/,
  /^(?:let|var|local|my|val)\s+[\w$@%]+$/,
  /^(?:break|continue|pass|return|else:|try:)$/,
];

/** Words at the end of remarks about code. */
const remarkEnd =
  /\s(?:wrong|right|fine|better|instead|correct|bad|good|needed|missing|unused|called|used|unchanged|twice|works|okay|deprecated|required|too|failed)[.!]?$/;

/** Languages without tags. */
const tagless =
  /^(?:typescript|python|ruby|shellscript|sql|go|rust|c|cpp|csharp|java|kotlin|swift|yaml|json|jsonc|toml|ini|lua|perl|r|cobol|fortran|vb|css|scss|less|makefile|dockerfile)$/;
const tag = /^(?:<\/?[A-Za-z][\w:.-]*(?:\s[^<>]*)?\/?>|<[A-Za-z][\w:.-]*$|<!|<\?)/;

/** Lines that may be part of code: properties, selectors, items, literals. */
const hints: readonly RegExp[] = [
  /^["']?[\w$-]+["']?\??\s*:\s*\S+.*,$/,
  /^["'\d][^.!?]*,$/,
  /[[({]$/,
  /^\w+\s*\([^)]*$/,
];

/**
 * Looks for what only code has.
 * @param text a line without white space around it, at most some hundred characters
 * @param family see `familyOf`
 */
export function codeEvidence(text: string, family: string): CodeEvidence {
  if (remarkEnd.test(text)) return 'none';
  if (sure.some((pattern) => pattern.test(text))) return 'sure';
  if (!tagless.test(family) && tag.test(text)) return 'sure';
  if (family === 'asm' && /^(?:[a-z]{2,8}\s+[%$\w[\]().*-]+(?:,|$)|[\w.$]+:|\.\w+)/.test(text)) {
    return 'sure';
  }
  if (family === 'powershell' && /^[A-Z]\w+-[A-Z]\w+\b/.test(text)) return 'sure';
  if (/^(?:css|scss|less|sass|stylus)$/.test(family) && /^[.#&:@][\w-]/.test(text)) return 'sure';
  return hints.some((pattern) => pattern.test(text)) ? 'hint' : 'none';
}
