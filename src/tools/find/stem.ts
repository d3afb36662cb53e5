/**
 * An English word without its endings, in lower case, so that "creates", "created" and "creating" are one. It need be no
 * word: both sides of a comparison are cut alike.
 */
export function toStem(word: string): string {
  if (word.length < 4 || word === "news") return word;
  const singular = withoutPlural(word);
  const ending = endings.find((each) => singular.endsWith(each) && singular.length - each.length >= 3);
  const bare = ending === undefined ? singular : withoutDouble(singular.slice(0, -ending.length));
  return bare.length > 3 && bare.endsWith("e") ? bare.slice(0, -1) : bare;
}

const endings = ["ing", "ed", "ion"];

function withoutPlural(word: string): string {
  if (!word.endsWith("s") || word.endsWith("ss") || word.endsWith("us") || word.endsWith("is")) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  const isLong = ["sses", "shes", "ches", "xes"].some((each) => word.endsWith(each));
  return word.slice(0, isLong ? -2 : -1);
}

/** "mapping" is "map". */
function withoutDouble(word: string): string {
  const last = word.at(-1) ?? "";
  return word.length > 3 && word.at(-2) === last && "bdfgmnprt".includes(last) ? word.slice(0, -1) : word;
}
