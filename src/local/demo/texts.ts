import * as z from 'zod/mini';

/**
 * Texts and patterns of the demo in English: `l10n/demo.*.json` has the same in other languages.
 * Code and paths stay as they are. `{{name}}` is filled in where a text is used.
 */
export const englishTexts = {
  /** Texts for every kind of reply. */
  general: {
    disclaimer:
      '*I’m Aside’s scripted demo, not a language model. I only know my sample workspace. Connect a service to get a real reply.*',
    otherCode: 'I only know my sample workspace: send “{{createSample}}” to get it.',
    otherCodeComment:
      'The demo of Aside only knows its sample workspace: send “{{createSample}}” in the chat to get it.',
    thinking:
      'The user sent me a message. I look for the section of my script that fits, check whether code is attached, and reply in a few clear sentences.',
    nothingToContinue: 'There’s nothing to continue yet.',
    nothingToAdd: 'There’s nothing left to add.',
    useTool: 'I’ll use {{tool}} for that.',
    useTools: 'I’ll use {{tools}} and {{tool}} for that.',
    returnedNothing: '{{tool}} returned nothing.',
    returnedLine: '{{tool}} returned 1 line:',
    returnedLines: '{{tool}} returned {{count}} lines:',
    moreLines: 'More lines: {{count}}',
    oneImage: 'I see 1 image:',
    images: 'I see {{count}} images:',
    imageSize: '{{type}}, {{width}} × {{height}} pixels',
    part: 'Part {{number}}',
  },
  /** Replies to commands on code as text. */
  edits: {
    unknown:
      'I’m Aside’s scripted demo, not a language model. For my sample, I know “{{fix}}”, “{{improve}}” and “{{document}}”. Connect a service for any other instruction.',
    noPlace:
      'I’m Aside’s scripted demo, not a language model. I can’t tell where this code belongs. Connect a service, or insert the code at the cursor.',
  },
  /** Subjects of commit messages, by the names of changes of the sample. */
  commits: {
    sample: 'Add the weather station',
    average: 'Return undefined for the average of a station without readings',
    columns: 'Widen the first column of the report for long names',
    describe: 'Describe temperatures in one list of limits',
    slots: 'Give days slots, so they take less memory',
    document: 'Document the weather station',
    spread: 'Test the spread of a day',
  },
  /** Their bodies. */
  reasons: {
    average: 'The sum was divided by zero, and NaN was described as hot.',
    columns: 'A name of more than twelve characters moved the numbers out of their columns.',
  },
  /** Comments of a review that ask for these changes. */
  reviews: {
    average:
      'A station without readings divides by zero: its average is `NaN`, which `describe` calls hot. Return `undefined` when there are no readings.',
    columns:
      'A name of more than twelve characters moves the numbers of its row out of their columns. Make the first column as wide as the longest name.',
  },
  /** Comments in the code of the sample. */
  comments: {
    temperature: 'Converts and describes temperatures of the weather station.',
    report: 'Writes the daily report of a weather station as plain text.',
    reportTests: 'Tests of the daily report. Run them with: {{command}}',
    toFahrenheit: 'Converts degrees Celsius to Fahrenheit: 0 °C is 32 °F, and 100 °C is 212 °F.',
    describe:
      'Describes a reading in a word: freezing below 0 °C, cool below 15 °C, warm below 28 °C, else hot.',
    station: 'A weather station with its readings, in the order in which they were added.',
    average: 'The mean of all readings in degrees Celsius.',
    averageOrNone: 'The mean of all readings in degrees Celsius; undefined if there are none.',
    day: 'The lowest and highest temperature of a day at a station, in degrees Celsius.',
    spread: 'Return by how many degrees the temperature changed during the day.',
    rows: 'Return a heading and a row for each day, in columns.',
  },
  /** About parts of the sample. */
  explanations: {
    project: `This is my sample, a small weather station:

| Part | What it does |
|:--|:--|
| \`src/temperature.ts\` | converts and describes temperatures, and averages the readings of a station |
| \`server/report.py\` | writes the daily report, which has tests |
| \`data/july.csv\` | has a week of temperatures to plot |

Select a function and run **Aside: Explain**, or send “{{failingTest}}”.`,
    reading:
      '**`Reading`** is one measurement: which station took it, how warm it was, and when. All of it is `readonly`, so a reading can be passed on without a copy.',
    toFahrenheit: `**\`toFahrenheit\`** converts degrees Celsius to Fahrenheit:

{{formula}}

| °C | °F | |
|--:|--:|:--|
| −40 | −40 | both scales meet |
| 0 | 32 | water freezes |
| 15 | 59 | a cool day |
| 100 | 212 | water boils |

It multiplies before it divides, so whole results stay whole: 15 °C is exactly 59 °F. It doesn’t check its parameter, and \`NaN\` stays \`NaN\`.`,
    describe: `**\`describe\`** puts a reading into a word:

| From | Below | Word |
|--:|--:|:--|
| | 0 °C | freezing |
| 0 °C | 15 °C | cool |
| 15 °C | 28 °C | warm |
| 28 °C | | hot |

Look out for \`NaN\`: it is below no limit, so it’s described as hot.`,
    station:
      '**`Station`** collects the readings of a station. They are in the private field `#readings`, so `add` is the only way to change them.',
    average: `**\`average\`** is the mean of all readings:

{{formula}}`,
    noReadings:
      'Look out for a station without readings: $n$ is 0 then, and the result is `NaN`. Select the method and run **Aside: Fix** to change that.',
    day: '**`Day`** has the lowest and the highest temperature of a day. It’s frozen: its values can’t change, and days can be compared and be keys of a dictionary.',
    spread: `**\`spread\`** is by how many degrees the temperature changed during a day:

{{formula}}

For the hill, that’s $6.5 - (-1) = 7.5$ degrees.`,
    report: `**\`report\`** writes a heading and a row for each day:

{{example}}

Each number takes six columns, with one decimal.`,
    longNames:
      'Look out for a name of more than twelve characters: it moves the numbers of its row to the right, and a test fails for that reason. Send “{{failingTest}}” to have it repaired.',
    reportTests:
      '**`ReportTest`** checks the report: that each day has a row, and that columns line up below the heading, also with a long name.',
    readings:
      '**july.csv** has the lowest and highest temperature of each day of a week in July. Send “{{plot}}” to see it as a chart.',
  },
  /** Steps of tasks with several tools. */
  tasks: {
    look: 'I’ll look at what you have open.',
    read: 'I’ll read {{file}}.',
    readTests: 'I’ll read the test and the code that it’s about.',
    propose: 'Here is a small change. Nothing is written before you allow it.',
    repair:
      'The test is right. A name of more than twelve characters is wider than its column, so the numbers of its row move. I’ll make the column as wide as the longest name.',
    run: 'Now I’ll run the test.',
    passes:
      'The test passes. The first column was always twelve characters wide. Now it’s as wide as the longest name, and the heading follows.',
    doesNotPass: 'The code is changed, but I couldn’t see the test pass:',
    nothingOpen: 'No file is open in the editor. Open one, and ask again.',
    nothingToDo: 'I have no change for this file of my sample. Try **src/temperature.ts**.',
    denied: 'You denied the edit, so the file is as it was.',
    done: 'Done. The list of changed files below shows the difference, and **Undo** brings the file back as it was.',
    notMade: 'The edit wasn’t made:',
    create: 'I’ll create the sample in this folder. You decide which files are written.',
    created:
      'The sample is there. Open **src/temperature.ts**, select a function and run **Aside: Explain**, or send “{{failingTest}}”.',
    notCreated: 'The sample wasn’t created:',
  },
  /** Replies to messages without attachments. */
  topics: {
    plan: `Here is a plan for the weather station:

- [ ] Return \`undefined\` for the average of a station without readings, in \`src/temperature.ts\`.
- [ ] Make the first column of \`server/report.py\` as wide as the longest name, because its test fails.
- [ ] Document \`server/report.py\`.

Nothing is changed yet, and each edit will need your approval.`,
    plot: `The week in \`data/july.csv\`, with the highest temperatures above the lowest:

{{chart}}

The fifth day was the warmest, and had the widest spread: 12.5 degrees.`,
    chartTitle: 'A week in July',
    sample:
      'My sample is a small weather station: TypeScript, a report in Python with a failing test, and readings to plot. To get it, open an empty folder that you trust, use a model with tools, and send “{{createSample}}”.',
    faults: `This demo can fail on purpose, so you can see what happens. Send one of these:

| Message | What happens |
|---|---|
| \`/fault cut\` | the reply ends in the middle |
| \`/fault socket\` | the connection breaks in the middle |
| \`/fault stall\` | nothing more arrives: press Stop |
| \`/fault slow\` | four tokens per second |
| \`/fault malformed\` | a broken event within the reply |
| \`/fault error\` | the model reports an error halfway through |
| \`/fault empty\` | a reply without text |
| \`/fault no-usage\` | no token counts |
| \`/fault html\`, \`/fault blank\` | a web page, or nothing, instead of a reply |
| \`/fault early-finish\` | every piece claims to be the last |
| \`/fault page\` | a web page with status 404, as from a proxy |
| \`/fault quota\` | the quota of the key is used up |
| \`/fault redirect\` | a redirect to another host |
| \`/fault silence\`, \`/fault refused\` | no response, no connection |
| \`/fault 429 2\` | the first two attempts hit the rate limit |
| \`/fault 503 4\` | four attempts fail; 401, 402 and other statuses work too |

A number after \`cut\`, \`socket\`, \`stall\`, \`malformed\` or \`error\` is the number of characters before it happens.`,
    connect: `To connect Aside to your service:

1. Run **Aside: Connect to a Service…** from the Command Palette.
2. Paste the base URL, up to and including \`/v1\`.
3. Paste your API key. It starts with \`sk-\` and is checked before it is stored.
4. Select a model.

The key is kept in VS Code’s secret storage and is sent only to the host you entered it for.`,
    models: `Click the model button below the message box, or run **Aside: Select Model…**. The list comes from the service, grouped by provider. The change applies from your next message on, so you can start with a small model and switch to a large one when it matters.

This demo has a model that shows its thinking (\`deepseek/reasoner\`), one that puts its thoughts in tags (\`qwen/thinker-32b\`), one that takes images (\`mistral/mistral-large\`) and one that can’t use tools (\`google/gemma-9b\`).`,
    tokens: `The service charges by token, and a token is about four characters. Every message includes the conversation so far, so a long chat costs more with each message. Start a **New Chat** when the topic changes.

The status bar shows the tokens of this session. Click it for prompt, cached and completion tokens of this chat, this session and today.`,
    stop: 'Press **Stop** at any time. The connection is closed at once, and the text received so far is kept. If a reply was stopped, cut off, or too long, press **Continue** below it to pick up exactly where it ended.',
    privacy:
      'Aside sends your messages and the code you attach only to the service you connected. The key leaves VS Code’s secret storage only in requests to its own host. In this demo, nothing leaves your computer.',
    selection: `Select code in the editor, then:

- **Aside: Explain** explains what it does,
- **Aside: Add to Chat** attaches it to your next message,
- **Attach…** in the composer adds whole files.

Without a selection, Explain uses the function or class around the cursor.`,
    options: `**Options** in the composer apply to this chat:

- *Precise*, *Balanced* or *Creative*, or an exact temperature from 0 to 2,
- \`top_p\`, the maximum number of tokens in a reply, and stop sequences,
- a reply as validated JSON.

Options you leave empty aren’t sent. The settings that start with \`aside.\` are the defaults for every chat.`,
    help: `I’m **Aside**, a chat beside your code. I can:

- reply to messages while you keep typing,
- explain the code that you select,
- stream replies as Markdown, with code that you can copy or insert,
- work with any model of your service, and switch between them,
- show what each reply costs in tokens.

Right now you are talking to the built-in demo, which needs no key and no network. It knows a small sample workspace: send “{{createSample}}” to get it. Ask “{{connect}}” when you want real replies, or try “{{markdown}}”.`,
    hello:
      'Hello! I’m the **Aside** demo. Ask me “{{help}}”, select some code and run **Aside: Explain**, or say “{{markdown}}” to see what replies look like.',
    thanks: 'You’re welcome! Ask “{{connect}}” when you’re ready for a real model.',
    empty: 'Ask me something, for example “{{help}}”.',
    unknown: `I have no script for that. With a service connected, a model would reply from its knowledge and the code you attach. Here you can see how Aside works:

- “{{help}}” explains what Aside is for,
- “{{createSample}}” writes a small workspace that I know by heart,
- “{{connect}}” gets you to real replies,
- “{{markdown}}”, “{{words}}” or “{{faults}}” let you try out the panel.`,
  },
  /** Replies that demonstrate Markdown. */
  markdown: {
    code: `Here is a small function that groups items by a key:

{{code}}

Use it like this: \`groupBy(words, (word) => word.slice(0, 1))\`.`,
    table: `| Range | Behavior | Good for |
|:--|:--|:--|
| 0 to 0.3 | precise, reproducible | extraction, facts |
| 0.7 to 1.0 | balanced | conversation |
| 1.2 to 2.0 | creative, varied | brainstorming, stories |

The default temperature is **1**.`,
    list: `To find out why a test fails:

1. Run that test alone.
2. Read the whole message:
   - what was expected,
   - what happened instead,
   - and on which line.
3. Change one thing, and run it again.

- [x] the test fails every time
- [ ] the cause is known`,
    all: `# Markdown in a reply

A paragraph with **bold**, *italic*, ~~struck~~ and \`inline code\`, and a [link](https://example.com/).

## Code

{{code}}

{{examples}}

## Lists

{{list}}

## A table

{{table}}

> A quotation, which can
> span several lines.

---

And a final line.`,
    long: `A long reply is a good way to see whether a panel keeps up.
The text arrives in small pieces, and each piece is added at the end.
You can scroll up while it grows, and the text stays where you are reading.
When you scroll back to the bottom, the panel follows the reply again.
Good code reads like a letter to the person who changes it next.
Names say what a thing is, and short functions say what happens to it.
A test that can fail for only one reason saves an afternoon.
If you measure first, you seldom have to guess twice.
A good reply is worth waiting for, but a frozen window is not.
If you have seen enough, press Stop, and the text so far is kept.
A reply that ends early can be continued right where it stopped.`,
  },
  /** Messages that replies suggest, and that fill their `{{name}}`. */
  starters: {
    createSample: 'create the sample',
    failingTest: 'the test fails, fix it',
    plot: 'plot the week',
    help: 'what can you do?',
    connect: 'how do I connect?',
    markdown: 'show me markdown',
    words: 'write 3000 words',
    faults: 'show the faults',
    fix: 'fix this',
    improve: 'improve this',
    document: 'document this',
  },
  /** Regular expressions that find what a message is about, without regard to case. A message of another language may also be in English. */
  matches: {
    markdown: String.raw`\bmarkdown\b`,
    plan: String.raw`\bplan\b`,
    plot: String.raw`\b(?:plot|chart|diagram)\b`,
    table: String.raw`\btable\b`,
    list: String.raw`\b(?:bullet|numbered|a|to-?do) list\b|\bas (?:a )?list\b|\bsteps\b`,
    code: String.raw`\b(?:write|show|give)\b.*\b(?:code|function|program|script|example)\b`,
    sample: String.raw`\bsample\b`,
    faults: String.raw`\bfaults?\b|\berrors?\b.*\b(?:try|test|show)\b`,
    connect: String.raw`\b(?:api )?keys?\b|\bconnect\b|\bsign in\b|\bset ?up\b`,
    models: String.raw`\bmodels?\b`,
    tokens: String.raw`\btokens?\b|\bcosts?\b|\bprices?\b|\bbudget\b|\busage\b|\bcached?\b`,
    stop: String.raw`\bstop\b|\bcancel\b|\bcontinue\b`,
    privacy: String.raw`\bprivacy\b|\bprivate\b|\bsecure\b|\bsafe\b|\bsend\b.*\bdata\b`,
    selection: String.raw`\bselect(?:ion|ed)?\b|\battach|\bmy code\b|\bthis (?:file|code|function)\b|\bexplain\b`,
    options: String.raw`\btemperature\b|\btop_?p\b|\bmax_?tokens\b|\boptions?\b|\bjson\b|\bsettings?\b`,
    help: String.raw`\bwhat (?:can|do|does|is|are)\b.*\b(?:you|aside|this|it)\b|\bhelp\b|\bwho are you\b|\bfeatures?\b`,
    hello: String.raw`^\W*(?:hello|hi|hey|good (?:morning|evening|afternoon))\b`,
    thanks: String.raw`\bthank`,
    words: String.raw`words\b`,
    times: String.raw`times\b`,
    longReply: String.raw`\blong (?:reply|answer|text|story|essay)\b|^\W*long\W*$`,
    createSample: String.raw`\b(?:create|get|open) (?:me )?(?:a|the|your) sample\b`,
    failingTest: String.raw`\btests?\b.{0,40}\bfail(?:s|ed)?\b|\bfailing tests?\b`,
    openFile: String.raw`\b(?:open|current|active|this) file\b`,
    change: String.raw`\b(?:improve\w*|fix|document|clean up|tidy|change|edit)\b`,
    fix: String.raw`^fix\b`,
    improve: String.raw`^(?:Make this code simpler|improve\b|clean up\b|simplify\b)`,
    document: String.raw`\b(?:document|documentation|docs?|docstrings?|jsdoc)\b`,
    explain: String.raw`\bexplain\b`,
    readFile: String.raw`\bread\b`,
    listFiles: String.raw`\blist\b.*\bfiles\b`,
    getChanges: String.raw`\bget\b.*\bchanges\b`,
    searchText: String.raw`\bsearch\b`,
  },
} as const;

/** Fills in the `{{name}}` of a text; one without a value stays. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (mark, name: string) => String(values[name] ?? mark));
}

const translation = z.record(z.string(), z.record(z.string(), z.string()));

/**
 * The texts of a translation file; those that it lacks are in English, as all are without a file. The
 * messages that they suggest are filled in.
 */
export function translatedTexts(file?: unknown): DemoTexts {
  const groups = translation.safeParse(file).data ?? {};
  const starters = { ...englishTexts.starters, ...groups['starters'] };
  const filled = (name: keyof DemoTexts): Readonly<Record<string, string>> => {
    const texts = Object.entries({ ...englishTexts[name], ...groups[name] });
    return Object.fromEntries(texts.map(([key, text]) => [key, fill(text, starters)]));
  };
  return {
    general: { ...englishTexts.general, ...filled('general') },
    edits: { ...englishTexts.edits, ...filled('edits') },
    commits: { ...englishTexts.commits, ...filled('commits') },
    reasons: { ...englishTexts.reasons, ...filled('reasons') },
    reviews: { ...englishTexts.reviews, ...filled('reviews') },
    comments: { ...englishTexts.comments, ...filled('comments') },
    explanations: { ...englishTexts.explanations, ...filled('explanations') },
    tasks: { ...englishTexts.tasks, ...filled('tasks') },
    topics: { ...englishTexts.topics, ...filled('topics') },
    markdown: { ...englishTexts.markdown, ...filled('markdown') },
    starters: { ...englishTexts.starters, ...filled('starters') },
    matches: { ...englishTexts.matches, ...filled('matches') },
  };
}

export type DemoTexts = {
  readonly [Group in keyof typeof englishTexts]: Readonly<
    Record<keyof (typeof englishTexts)[Group], string>
  >;
};
