/**
 * Returns true for a text with Han characters that asks in English about Chinese words, such as "Who is 李在明?" or "Translate 我爱你
 * into French". It is a guess by a few words of both languages. Chinese with English titles, terms or commands in it stays Chinese:
 * "What Is Love 这首歌是谁唱的", "Docker 是什么", "where 和 having 的区别", "show tables 报错".
 */
export function isEnglishQuestion(text: string): boolean {
  // What is quoted is spoken about, in whatever language.
  const own = text.replace(/"[^"]*"|“[^“”]*”|「[^「」]*」|『[^『』]*』|《[^《》]*》|`[^`]*`/g, " ");
  const letters = own.match(/\p{L}/gu) ?? [];
  if (!isLatin(letters[0])) return false;
  const [first = "", ...others] = own.match(/[a-z]+(?:['’][a-z]+)?/gi) ?? [];
  const isAsked = others.length > 0 ? openers.test(first) && others.some(isGrammar) : clearVerbs.test(first);
  if (!isAsked) return false;
  return isLatin(letters.at(-1)) || !(hasChineseGrammar(own) || isTitle([first, ...others]));
}

function isLatin(letter: string | undefined): boolean {
  return letter !== undefined && /[a-z]/i.test(letter);
}

/** Matches a word with which an English question or request begins. */
const openers =
  /^(?:what|which|who|whom|whose|where|when|why|how|is|are|was|were|do|does|did|can|could|would|should|will|please|compare|list|find|show|tell|give|write|search|create|make|calculate|draw|recommend|check|convert|count|help|translate|explain|summari[sz]e|describe|define|pronounce)(?:['’]|$)/i;

/** Matches what is an English request also as the only English word: it is no name of a command or a product. */
const clearVerbs = /^(?:translate|summari[sz]e|pronounce)$/i;

/** Returns true for a small word of an English sentence. Commands and terms have none, such as `show tables` or `count`. */
function isGrammar(word: string): boolean {
  return /^(?:is|are|was|were|do|does|did|can|could|would|should|i|you|we|me|my|your|the|a|an|to|in|of|for|with|from|into|about|between)$/i.test(
    word,
  );
}

/** Returns true for Chinese grammar: a word that asks, or a small word that stands alone or within four characters, which is no name. */
function hasChineseGrammar(text: string): boolean {
  if (/什么|怎|谁|哪|吗|呢|请|帮|几|多少|区别|报错|用法|语法|教程/.test(text)) return true;
  const runs = text.match(/\p{Script=Han}+/gu) ?? [];
  return runs.some((run) => /^[和与跟]$/.test(run) || (run.length > 3 && /[的是了把被这那有在和与或吧]/.test(run)));
}

/** Returns true for words that are written as a title is: each with a capital letter, except small ones. */
function isTitle(words: readonly string[]): boolean {
  return (
    words.length > 1 && words.every((word) => /^[A-Z]/.test(word) || /^(?:a|an|the|of|in|on|to|and|or|for)$/.test(word))
  );
}
