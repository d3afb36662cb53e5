/**
 * JSON text in which what joins emoji or makes a character one (U+200D, U+FE0E, U+FE0F) is written out wherever it does
 * neither, as in `mail\u200d`. It needs the whole text, which `printable` does not have
 * (https://www.unicode.org/reports/tr51/).
 */
export function showJoiners(json: string): string {
  return json.replace(mayBeEmoji, (run) =>
    joiner.test(run) ? run.replace(emojiAndJoiners, (part) => (loneJoiner.test(part) ? escapeOf(part) : part)) : run,
  );
}

const joiner = /[\u200d\ufe0e\ufe0f]/;
const loneJoiner = /^[\u200d\ufe0e\ufe0f]$/;
const mayBeEmoji = /(?:[\p{Emoji}\p{Emoji_Component}]|\ufe0e)+/gu;
const emojiAndJoiners = /\p{RGI_Emoji}|\p{Extended_Pictographic}\ufe0e|[\u200d\ufe0e\ufe0f]/gv;

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16)}`;
}
