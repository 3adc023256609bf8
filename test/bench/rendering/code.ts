import type { Random } from './random.ts';
import { name, noun, plainSentence, typeName, verb } from './words.ts';

type Snippet = (random: Random) => string;
/** The info string of its fence, and a generator of its code. */
type Language = readonly [string, Snippet];

const typescript: Snippet = (random) => {
  const [type, field, parameter] = [typeName(random), noun(random), name(random)];
  return `/** ${plainSentence(random, 5)} */
export class ${type} implements Disposable {
  readonly #${field}: Map<string, ${type}> = new Map();
  #count = ${random.integer(0, 512)};

  async ${parameter}(path: string, limit = ${random.integer(1, 90)}): Promise<readonly ${type}[]> {
    const found = await this.${name(random)}(\`\${path}/${field}?limit=\${limit}\`);
    if (found.length === 0) throw new Error('No ${field} was found here');
    for (const [key, value] of Object.entries(found)) {
      // ${plainSentence(random, 4)}
      this.#${field}.set(key, { ...value, kind: "${noun(random)}" });
      this.#count += value === null ? 0 : ${random.integer(1, 9)}.${random.integer(0, 9)};
    }
    return [...this.#${field}.values()].filter((entry) => entry.${noun(random)} !== undefined);
  }
}
`;
};

const python: Snippet = (random) => {
  const [type, field, method] = [typeName(random), noun(random), verb(random)];
  return `@dataclass(frozen=True)
class ${type}:
    """${plainSentence(random, 6)}"""

    ${field}: dict[str, int] = field(default_factory=dict)
    limit: float = ${random.integer(1, 40)}.5

    def ${method}_${field}(self, path: Path, *, strict: bool = True) -> list[str]:
        # ${plainSentence(random, 4)}
        with open(path, encoding="utf-8") as ${noun(random)}:
            lines = [line.strip() for line in ${noun(random)} if line]
        if not lines and strict:
            raise ValueError(f"no {self.${field}!r} in {path} after ${random.integer(2, 90)} s")
        return sorted(lines, key=lambda line: (len(line), line))[: ${random.integer(3, 400)}]

`;
};

const json: Snippet = (random) => `{
  "${noun(random)}": {
    "name": "${name(random)}",
    "enabled": ${random.pick(['true', 'false', 'null'])},
    "limit": ${random.integer(1, 9000)},
    "ratio": -${random.integer(0, 9)}.${random.integer(10, 99)}e-3,
    "paths": ["src/${noun(random)}.ts", "test/${noun(random)}.test.ts", "C:\\\\${noun(random)}\\n"]
  }
}
`;

const shell: Snippet = (random) => `#!/usr/bin/env bash
set -euo pipefail
# ${plainSentence(random, 4)}
${noun(random).toUpperCase()}_DIR="\${1:-$HOME/.${noun(random)}}"
for file in "$${noun(random).toUpperCase()}_DIR"/*.log; do
  if [[ -s "$file" && $(wc -l < "$file") -gt ${random.integer(10, 900)} ]]; then
    grep -E '^(error|warning):' "$file" | sort | uniq -c | head -n ${random.integer(2, 50)}
  else
    echo "skipped \${file##*/}" >&2
  fi
done
`;

const css: Snippet = (random) => `/* ${plainSentence(random, 4)} */
.${noun(random)}-${noun(random)} > .${noun(random)}:not(:last-child)::before {
  display: grid;
  grid-template-columns: repeat(${random.integer(2, 9)}, minmax(0, 1fr));
  margin: 0 auto ${random.integer(1, 30)}px;
  color: var(--${noun(random)}-color, #${random.integer(0x100000, 0xffffff).toString(16)});
  background: url('${noun(random)}.svg') no-repeat ${random.integer(1, 99)}% 50%;
}

@media (max-width: ${random.integer(300, 900)}px) {
  #${noun(random)} { transition: opacity 0.${random.integer(1, 9)}s ease-in-out !important; }
}
`;

const go: Snippet = (random) => {
  const [type, field] = [typeName(random), noun(random)];
  return `// ${plainSentence(random, 5)}
type ${type} struct {
	mutex sync.Mutex
	${field} map[string][]byte \`json:"${field},omitempty"\`
}

func (r *${type}) ${typeName(random)}(ctx context.Context, limit int) (int, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for key, value := range r.${field} {
		if len(value) > limit*${random.integer(2, 64)} {
			return 0, fmt.Errorf("${field} %q is longer than %d bytes", key, limit)
		}
	}
	return len(r.${field}), nil
}

`;
};

const rust: Snippet = (random) => {
  const [type, field] = [typeName(random), noun(random)];
  return `/// ${plainSentence(random, 5)}
#[derive(Debug, Clone, PartialEq)]
pub struct ${type}<'a> {
    ${field}: &'a str,
    total: u64,
}

impl<'a> ${type}<'a> {
    pub fn ${verb(random)}_${field}(&mut self, input: &'a [u8]) -> Result<Option<u64>, io::Error> {
        let text = std::str::from_utf8(input).map_err(|_| io::ErrorKind::InvalidData)?;
        match text.find('${random.pick([',', ';', '|'])}') {
            Some(at) if at > ${random.integer(1, 40)} => self.total += at as u64,
            _ => println!("no {} in {:?}", "${field}", text),
        }
        Ok(Some(self.total))
    }
}

`;
};

const sql: Snippet = (random) => `-- ${plainSentence(random, 4)}
SELECT ${noun(random)}.id, count(*) AS total, max(${noun(random)}.created_at)
FROM ${noun(random)} INNER JOIN ${noun(random)} ON ${noun(random)}.id = ${noun(random)}.parent_id
WHERE ${noun(random)}.name LIKE '%${noun(random)}%' AND total >= ${random.integer(1, 99)}
GROUP BY ${noun(random)}.id HAVING count(*) > ${random.integer(1, 9)}
ORDER BY total DESC LIMIT ${random.integer(1, 500)};
`;

const languages: readonly [Language, ...Language[]] = [
  ['ts', typescript],
  ['python', python],
  ['json', json],
  ['typescript', typescript],
  ['bash', shell],
  ['css', css],
  ['go', go],
  ['rust', rust],
  ['sql', sql],
];

/** A code block of this many lines, in one of nine languages. */
export function codeBlock(random: Random, lines: number): string {
  const [language, snippet] = random.pick(languages);
  return fence(language, snippet, random, lines);
}

/** A TypeScript code block of this many lines. */
export function longCodeBlock(random: Random, lines: number): string {
  return fence('ts', typescript, random, lines);
}

function fence(language: string, snippet: Snippet, random: Random, lines: number): string {
  const code: string[] = [];
  while (code.length < lines) code.push(...snippet(random).split('\n'));
  return ['```' + language, ...code.slice(0, lines), '```', ''].join('\n');
}
