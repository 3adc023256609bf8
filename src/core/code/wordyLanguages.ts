/**
 * Languages whose statements look like words: what their lines begin with, and how their comments
 * begin. Languages are named by VS Code's ids.
 */

/** Languages of texts that people read: there, the words of a reply are the content of the file. */
const textLanguages = new Set(
  `plaintext text txt markdown md mdx quarto rmd prompt instructions chatagent skill latex tex bibtex
  context restructuredtext rst asciidoc adoc org textile typst djot mediawiki wikitext git-commit
  git-rebase scminput feature gherkin cucumber csv tsv log fountain inform7 rtf subtitles srt po`.split(
    /\s+/,
  ),
);

/** Whether a file of this language holds text, so that words are its content. */
export function isTextLanguage(language: string): boolean {
  return textLanguages.has(language.toLowerCase());
}

/** Languages in which text may be at the beginning of a line between lines of code. */
const markupLanguages = new Set(
  `html xml xhtml xsl svg vue vue-html svelte astro php blade erb handlebars mustache razor
  aspnetcorerazor jinja jinja-html django-html twig liquid ejs pug haml slim marko cshtml
  javascriptreact typescriptreact dita docbook`.split(/\s+/),
);

/** Whether text may be at the beginning of a line between lines of code. */
export function isMarkupLanguage(language: string): boolean {
  return markupLanguages.has(language.toLowerCase());
}

/** Other names of languages in the tables below. */
const families: Readonly<Record<string, string>> = {
  ...named('shellscript', 'sh bash zsh fish shell ksh'),
  ...named('sql', 'plsql mysql pgsql postgres tsql mssql sqlite oraclesql bigquery snowflake-sql'),
  ...named('vb', 'vba vbs basic freebasic qbasic visualbasic'),
  ...named('fortran', 'fortran-modern fortranfreeform fortranfixedform fortranfixed'),
  ...named('cobol', 'acucobol opencobol'),
  ...named('asm', 'nasm masm arm assembly asm-intel-x86-generic x86asm riscv'),
  ...named('ml', 'fsharp ocaml sml reason'),
  ...named('pascal', 'objectpascal delphi ada'),
  ...named('viml', 'vim'),
  ...named('yaml', 'dockercompose github-actions-workflow yml azure-pipelines ansible'),
  ...named('lisp', 'clojure scheme racket elisp commonlisp fennel'),
  ...named('haskell', 'elm purescript idris'),
  ...named('ruby', 'crystal'),
};

function named(family: string, names: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, family]));
}

/** What a language is called in the tables below. */
export function familyOf(language: string): string {
  const id = language.toLowerCase();
  return families[id] ?? id;
}

/** The first words of statements, in the case in which they are written; SQL, VB and the like in any. */
const statementWords: Readonly<Record<string, string>> = {
  sql: 'select insert update delete create alter drop from where join left right inner outer full cross on and or group order having limit offset values set with union case when then else end begin commit rollback declare grant revoke truncate returning as exec execute go if return call merge using primary foreign constraint fetch open close',
  cobol:
    'identification environment data procedure program-id working-storage file linkage move add subtract multiply divide compute display accept perform if else evaluate when stop goback exit call open close read write rewrite set string unstring initialize copy select fd end-if end-perform end-evaluate',
  vb: 'dim sub function end if else elseif for next while wend do loop public private class module imports return set select case property option namespace try catch finally exit call const redim throw print',
  fortran:
    'program end integer real logical character implicit subroutine function do if else call print write read return module use contains allocate stop',
  shellscript:
    'echo cd ls cp mv rm mkdir export source set unset local readonly if then else elif fi for while until do done case esac exit return read printf test trap exec eval sudo apt apt-get npm npx yarn pnpm pip pip3 python python3 node git docker kubectl make curl wget grep sed awk cat find xargs chmod chown touch tar ssh sleep kill wait shift alias',
  bat: 'echo set if for goto call rem copy del cd md exit pause start setlocal endlocal',
  dockerfile:
    'FROM RUN CMD COPY ADD ENV ARG WORKDIR EXPOSE ENTRYPOINT USER VOLUME LABEL ONBUILD HEALTHCHECK SHELL',
  makefile: 'include ifeq ifneq ifdef ifndef else endif export define endef',
  pascal: 'program begin end var procedure function uses unit type is loop package if then else',
  applescript: 'tell set end if repeat return on try display activate get copy else',
  abap: 'data report write select loop endloop if endif else form endform perform move append call read class method endmethod',
  viml: 'set let call function function! endfunction if endif else nnoremap inoremap vnoremap map autocmd syntax highlight colorscheme command return',
  ruby: 'puts p print attr_reader attr_writer attr_accessor end else begin rescue ensure unless private protected validates has_many has_one belongs_to',
  lua: 'local end else repeat until do',
  tcl: 'set proc puts if else return foreach',
  elixir: 'use alias import require end do else defstruct',
  haskell: 'module import data type newtype instance deriving where let in do class',
  ml: 'let open type module match with and in val',
  python: 'import from global nonlocal del assert exec print else',
  julia: 'end else begin return const local global',
  matlab: 'end function if for while disp else return',
};

const anyCase = new Set(['sql', 'cobol', 'vb', 'fortran', 'pascal', 'bat', 'abap', 'applescript']);

/** Whether the first word of a line begins a statement of this language. */
export function isStatementWord(family: string, word: string): boolean {
  const words = statementWords[family];
  if (words === undefined || word === '') return false;
  return words.split(' ').includes(anyCase.has(family) ? word.toLowerCase() : word);
}

/** Whether a language has statements that are nothing but words. */
export function hasStatementWords(family: string): boolean {
  return family in statementWords;
}

/** How a comment to the end of the line begins, by language. `//` and `/*` are comments everywhere. */
const commentMarks: Readonly<Record<string, RegExp>> = {
  ...marked(
    /^#/,
    `python ruby shellscript yaml perl perl6 raku r toml dockerfile makefile elixir julia powershell
    coffeescript ini properties dotenv ignore nim tcl cmake nix graphql terraform hcl awk gdscript starlark
    gitignore editorconfig apacheconf nginx just meson bazel`,
  ),
  ...marked(/^--(?!-*$)/, 'sql lua haskell pascal vhdl applescript eiffel'),
  ...marked(/^;/, 'lisp asm ini autohotkey'),
  ...marked(/^%/, 'erlang prolog matlab postscript'),
  ...marked(/^(?:'|REM\b)/i, 'vb'),
  ...marked(/^!/, 'fortran'),
  ...marked(/^"/, 'viml'),
  ...marked(/^(?:::|@?rem\b)/i, 'bat'),
  ...marked(/^\*>/, 'cobol'),
};

function marked(mark: RegExp, names: string): Readonly<Record<string, RegExp>> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, mark]));
}

/** Whether a line, without the white space before it, begins a comment of this language. */
export function beginsComment(family: string, text: string): boolean {
  if (/^(?:\/\/|\/\*|\*\/|<!--|#!)/.test(text)) return true;
  return commentMarks[family]?.test(text) ?? false;
}
