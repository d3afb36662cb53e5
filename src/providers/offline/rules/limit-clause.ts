import { removeMatch } from "../text-patterns.ts";

interface Limited {
  /** The rest of the request. */
  text: string;
  limit?: number;
}

/** Takes "最多返回 5 条", "at most 5 results" out of the text. */
export function extractLimit(text: string): Limited {
  for (const pattern of limits) {
    const match = pattern.exec(text);
    const limit = match === null ? undefined : countOf(match[1] ?? "");
    if (match === null || limit === undefined) continue;
    return { text: removeMatch(text, match), limit: Math.min(Math.max(limit, 1), mostHits) };
  }
  return { text };
}

const limits = [
  /[，,]?\s?(?:并|且)?(?:只|仅)?(?:返回|显示|列出|给出|要)?(?:最多|至多|不超过|只|仅|前)(?:返回|显示|列出|给出|要)?\s?(\d{1,4}|[一二两三四五六七八九十]{1,3})\s?(?:条|个|项|处)(?:结果|文件|记录)?/,
  /,?\s(?:and )?(?:(?:return|show|list|give)(?: me)? )?(?:with )?(?:at most|up to|no more than|limit(?:ed)?(?: to)?|max(?:imum)?(?: of)?|only|(?:the )?(?:first|top)) (\d{1,4})(?: (?:results?|hits?|files?|matches|lines?))?(?=$|[\s,])/i,
];

function countOf(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const digit = (character: string | undefined): number =>
    character === "两" ? 2 : " 一二三四五六七八九".indexOf(character ?? "");
  const [, tens, ten, ones] = /^([一二两三四五六七八九])?(十)?([一二三四五六七八九])?$/.exec(text) ?? [];
  if (ten === undefined) return tens === undefined || ones !== undefined ? undefined : digit(tens);
  return (tens === undefined ? 1 : digit(tens)) * 10 + (ones === undefined ? 0 : digit(ones));
}

/** What `file_search` returns at most. */
const mostHits = 200;
