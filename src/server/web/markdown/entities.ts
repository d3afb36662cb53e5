/** The character references that prose holds, read; others stay as they are written. */
export function readEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(amp|lt|gt|quot|apos|nbsp|hellip|mdash|ndash|middot|times|deg|rarr|larr);/g, (whole, name) => {
    return named.get(name) ?? whole;
  });
}

// Those by number are read by the lexer.
const named: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", "\u00a0"],
  ["hellip", "…"],
  ["mdash", "—"],
  ["ndash", "–"],
  ["middot", "·"],
  ["times", "×"],
  ["deg", "°"],
  ["rarr", "→"],
  ["larr", "←"],
]);
