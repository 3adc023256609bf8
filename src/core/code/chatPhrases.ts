/** The beginnings of sentences that a model writes to a person, and never into a file. */

/** Apologies and refusals, as beginnings of a reply in many languages. */
const refusals = [
  "sorry|i['’]?m (?:so |very |really |truly )?sorry|i am (?:so |very |really |truly )?sorry|(?:my |our |sincere )*apologies|i apologi[sz]e|we apologi[sz]e|unfortunately|regrettably",
  "i (?:can(?:['’]?t| ?not)|could(?:n['’]t| not)|won['’]?t|will not|do(?:n['’]t| not)|did(?:n['’]t| not)|must decline)\\b|i(?:['’]m| am) (?:unable|not able|afraid|not sure)|as an? (?:ai|language|large)|we can(?:['’]?t|not)",
  'entschuldig|(?:es )?tut mir (?:sehr )?leid|verzeihung|leider|ich kann|bedaure',
  'désolée?|je suis (?:vraiment )?(?:désolée?|navrée?)|je ne (?:peux|suis|sais)|malheureusement|pardon|excusez|toutes mes excuses',
  'lo siento|lamento|lo lamento|no puedo|lamentablemente|desafortunadamente|desgraciadamente|perdón|disculp',
  'desculp|sinto muito|peço desculpa|não posso|não consigo|infelizmente',
  'mi dispiace|spiacent|sono spiacent|non posso|purtroppo|scus[ai]',
  'het spijt|helaas|ik kan|przepraszam|niestety|nie mogę|tyvärr|förlåt|jag kan|beklager|desværre|jeg kan|valitettavasti|anteeksi|pahoittel',
  'omlouvám|bohužel|nemohu|prepáč|ospravedl|žiaľ|üzgünüm|maalesef|özür|sajn|elnézést|îmi pare|din păcate|scuze|xin lỗi|rất tiếc|maaf|oprosti|žao mi|nažalost|za žal',
  'извин|прости|к сожалению|я не могу|сожале|вибач|на жаль|перепрош|съжалявам|λυπάμαι|συγγνώμη|δυστυχώς',
  '(?:很|非常|十分)?(?:抱歉|遗憾|遺憾)|对不起|對不起|不好意思|我(?:无法|無法|不能|没有|很)|无法|無法',
  '(?:大変)?(?:申し訳|恐れ入り)|すみません|すいません|ごめん|残念|죄송|미안|유감|아쉽',
  'عذر|آسف|أعتذر|للأسف|מצטער|אני מצטער|סליחה|לצערי|क्षमा|माफ|मुझे खेद|खेद|ขออภัย|ขอโทษ|เสียใจ|দুঃখিত|மன்னி',
];

/** Words in front of an apology. */
const before = String.raw`(?:(?:hello|hi|hey|hmm+|ah|oh|well|okay|ok|no|thank you|thanks)\b[,.!—– -]*)?`;
const refusal = new RegExp(String.raw`^[\s>*_"'“„«(¡¿\[]*${before}(?:${refusals.join('|')})`, 'iu');

/** Sentences that say that nothing is to be done, or why nothing was done. */
const nothingToDo =
  /^[\s>*_"'“(]*(?:no (?:changes?|edits?|improvements?|fix(?:es)?|errors?|problems?|issues?|bugs?)\b|nothing (?:to|needs?|was|is)\b|(?:the|this|your) (?:text|code|document|file|selection|section|piece|function|paragraph)\b.{0,40}\b(?:already|fine|good|correct|unchanged)\b|there (?:is|are|was) (?:nothing|no (?:changes?|errors?|problems?|issues?|mistakes?))\b|unable to\b|i need (?:more|the|some|to (?:see|know))\b|(?:api |internal |server |http )?error:? \d{3}\b|request (?:denied|refused|blocked)|looks good|it looks|everything looks|all good|please (?:provide|share|send|paste|specify|clarify)|could you|can you|what would you)/i;

/** The same in other languages. */
const nothingElsewhere =
  /^[\s>*_"'“„«(]*(?:es (?:gibt|ist) nichts (?:zu )?|(?:der|dieser|die|diese|das|dieses) (?:text|code|datei|abschnitt|auswahl|funktion|dokument)(?!\p{L}).{0,30} (?:bereits|schon)(?!\p{L})|kein(?:e|en)? (?:änderung|verbesserung|fehler)|il n['’]y a rien|(?:ce|le|cette|la) (?:texte|code|fichier|section|fonction)(?!\p{L}).{0,20} déjà|aucune? (?:modification|changement|erreur)|no hay nada|no (?:es necesario|hace falta|se necesitan?)|(?:el|este|la|esta) (?:texto|código|archivo|sección|función)(?!\p{L}).{0,20} ya(?!\p{L})|não há nada|(?:o|este|esta) (?:texto|código|arquivo)(?!\p{L}).{0,20} já(?!\p{L})|non c['’]è nulla|(?:il|questo) (?:testo|codice)(?!\p{L}).{0,20} già(?!\p{L})|er is niets|nie ma nic|ничего (?:менять|исправлять)|(?:этот |данный )?(?:текст|код)(?!\p{L}).{0,20}уже|无需(?:修改|更改)|不需要(?:修改|更改)|没有(?:需要|发现)|(?:这|此|该).{0,10}(?:没有问题|已经)|(?:この|こちらの).{0,12}(?:問題ありません|問題はありません|すでに|既に)|(?:変更|修正)(?:は|の)?(?:不要|必要(?:は)?(?:ありません|ない))|(?:변경|수정)할 (?:것이|필요가) 없)/iu;

/** Whether a line is a model's apology, refusal or question to the person. */
export function refuses(line: string): boolean {
  const start = line.slice(0, 200);
  return refusal.test(start) || nothingToDo.test(start) || nothingElsewhere.test(start);
}

const sure = String.raw`(?:(?:sure(?: thing)?|of course|certainly|absolutely|okay|ok|yes|great|done|got it|gern|klar|natürlich|bien sûr|claro|por supuesto|certo|当然|好的|もちろん|はい|네|물론)[,.!:：！。，、 —–-]*)`;
const here = String.raw`(?:here(?:['’]s| is| are| you go|\b)|below(?: is| are|\b)|this is|i(?:['’]ve| have)? (?:fixed|updated|rewrote|rewritten|added|improved|corrected|made|refactored|documented)|(?:the )?(?:fixed|updated|corrected|improved|revised|rewritten|refactored|documented|new|complete|full|final|modified|cleaned)\b|the following|(?:see|use|try) (?:the|this)|hier\b|so\b|dies ist|voici|voilà|aquí|este es|esta es|aqui|ecco|questo è|her er|här är|tässä|oto\b|zde\b|tady\b|işte|вот\b|ось\b|以下|这是|這是|修[正改复]|更新|改[进善]|下面|こちら|次の|これ|다음|여기|수정)`;
const announcement = new RegExp(
  String.raw`^[\s>*_#]*(?:${sure}?${here}[^\n]{0,300}|${sure})[:：]?[\s*_]*$`,
  'iu',
);

/** Whether a line announces the code or text that follows it, for example "Here is the fixed code:". */
export function announces(line: string): boolean {
  const text = line.trimEnd();
  if (text.length > 400 || refuses(text) || explanation.test(text)) return false;
  return /[:：]\W{0,4}$/u.test(text) ? announcement.test(text) : onlySure.test(text);
}

/** What an announcement is about where no code follows it. */
const explanation =
  /\b(?:why|what|how|problems?|issues?|reasons?|explanation|explained|bugs?|errors?|summary|steps?|options?|ideas?|suggestions?|warum|pourquoi)\b/i;

const onlySure = new RegExp(String.raw`^[\s*_]*${sure}$`, 'iu');

/** Labels of remarks, which look like keys of YAML or of an object. */
const label =
  /^[\s>*_#]*(?:Notes?|Explanation|Answer|Summary|Warning|Error|Status|Hint|Tip|Remark|Result|Response|Reason|Fix|Fixed|Changes?|User|Assistant|System|Thought|Action|Observation|Hinweis|Erklärung|Remarque|Nota|Important|Edit|Issue|Problem|Solution|Output)\W{0,3}:/;

/** Whether a line begins with a label such as "Note:". */
export function isRemark(line: string): boolean {
  return label.test(line.slice(0, 80));
}
