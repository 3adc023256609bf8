const shell = '(?:power ?shell|pwsh|shell|bash|zsh|sh|cmd)';
const run = '(?:run|exec|execute|start|spawn)';
const change =
  '(?:create|write|edit|modify|update|insert|append|patch|save|put|copy|move|rename|delete|remove)';

/** Names of what runs commands, and of what changes files; each may have other words around it. */
const duplicates = [
  'terminal',
  String.raw`(?<!\b(?:explain|describe|detect|find|get|list) )\b${shell}$`,
  String.raw`\b(?:${shell}|console) ?(?:${run}|command)\b`,
  String.raw`\b${run} ?(?:${shell}|console)\b`,
  String.raw`\b(?:${run}|cli|system|vscode) ?(?:command|process)`,
  String.raw`\brun ?(?:script|task|notebook)`,
  // Where these have a word more, it tells of something else: execute_query.
  '^(?:execute|(?:mcp .+ )?(?:exec|spawn))$',
  String.raw`\b${change} ?(?:(?:text|existing|new|to|into) ?)?(?:file|directory|folder|notebook)`,
  String.raw`\b(?:file|fs) ?${change}$`,
  String.raw`\b(?:move|rename|delete|remove) ?path`,
  String.raw`\bapply ?(?:diff|patch|edit)|\b(?:insert|multi) ?edit|\bedit ?block`,
  String.raw`\binsert ?(?:text|content)|\b(?:str|multi) ?replace|\breplace ?(?:string|in ?file)`,
  String.raw`\b(?:search|find) ?(?:and ?)?replace|\brename ?symbol|\bnew ?workspace`,
];

const anyDuplicate = new RegExp(duplicates.join('|'));

/**
 * Whether a tool of others is called like one that Aside has behind its own gate: a terminal, a
 * command, a change of files. The gate would see nothing of what such a tool does (threats: T37).
 */
export function isDuplicate(name: string): boolean {
  const words = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ').toLowerCase();
  return anyDuplicate.test(words.replace(/[^a-z]+/g, ' ').trim());
}
