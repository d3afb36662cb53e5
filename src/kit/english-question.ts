/**
 * Returns true for a text with Han characters that asks in English about Chinese words, such as "Who is 李在明?" or "weather in 北京
 * tomorrow". It is a guess by a few words of both languages: Chinese with an English title or term in it, such as "What Is Love
 * 这首歌是谁唱的" or "Docker 是什么", stays Chinese.
 */
export function isEnglishQuestion(text: string): boolean {
  // What is quoted is spoken about, in whatever language.
  const own = text.replace(/"[^"]*"|“[^“”]*”|「[^「」]*」|『[^『』]*』|《[^《》]*》|`[^`]*`/g, " ");
  const letters = own.match(/\p{L}/gu) ?? [];
  if (!isLatin(letters[0])) return false;
  const words = own.match(/[a-z]+(?:['’][a-z]+)?/gi) ?? [];
  const opens = words.length > 1 ? openers.test(words[0] ?? "") : clearVerbs.test(words[0] ?? "");
  if (isLatin(letters.at(-1))) return opens || (prepositions.test(own) && !hasChineseGrammar(own));
  if (hasChineseGrammar(own)) return false;
  return endsBehindPreposition.test(own) || (opens && !isTitle(words));
}

function isLatin(letter: string | undefined): boolean {
  return letter !== undefined && /[a-z]/i.test(letter);
}

/** Matches a word with which an English question or request begins. */
const openers =
  /^(?:what|which|who|whom|whose|where|when|why|how|is|are|was|were|do|does|did|can|could|would|should|will|please|compare|list|find|show|tell|give|write|search|create|make|calculate|draw|recommend|check|convert|count|help|translate|explain|summari[sz]e|describe|define|pronounce)(?:['’]|$)/i;

/** Matches what is an English request also as the only English word: it is no name of a command or a product. */
const clearVerbs = /^(?:translate|explain|summari[sz]e|describe|define|pronounce)$/i;

const prepositions = /\b(?:in|of|to|for|at|from|about|with|into|near|between|the)\b/;

const endsBehindPreposition = /\b(?:in|of|to|for|at|from|about|with|into|near|the)\s+\p{Script=Han}+\P{L}*$/u;

/** Returns true for Chinese grammar: a word that asks anywhere, or a small word within four characters and more, which is no name. */
function hasChineseGrammar(text: string): boolean {
  if (/什么|怎|谁|哪|吗|呢|请|帮/.test(text)) return true;
  return (text.match(/\p{Script=Han}{4,}/gu) ?? []).some((run) => /[的是了把被这那有在和与或吧]/.test(run));
}

/** Returns true for several words that are written as a title is: each with a capital letter, except small ones. */
function isTitle(words: readonly string[]): boolean {
  return (
    words.length > 1 && words.every((word) => /^[A-Z]/.test(word) || /^(?:a|an|the|of|in|on|to|and|or|for)$/.test(word))
  );
}
