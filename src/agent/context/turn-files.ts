import { describeFile, describeImage } from "../../core/message-content.ts";
import type { ContentPart } from "../../core/messages.ts";
import type { ConversationTurn } from "../../core/store/store.ts";
import { type Locale, say } from "../../kit/locale.ts";
import type { Sizing } from "./shrink.ts";

/** Holds turns of which only some still have their images and documents, and the tokens that these take. */
export interface TurnsWithFiles {
  turns: readonly ConversationTurn[];
  tokens: number;
}

/**
 * Leaves as many images and documents to the turns as fit the budget, from the last turn back. Of the others the name stands in
 * the question: an image is whole or not there.
 */
export function fitTurnFiles(
  all: readonly ConversationTurn[],
  budget: number,
  { tokensOfParts, language }: Sizing & { tokensOfParts(parts: readonly ContentPart[]): number; language: Locale },
): TurnsWithFiles {
  if (all.every((turn) => listTurnFiles(turn).length === 0)) return { turns: all, tokens: 0 };
  const turns = [...all];
  let tokens = 0;
  for (let index = all.length - 1; index >= 0; index--) {
    const turn = all[index];
    const files = turn === undefined ? [] : listTurnFiles(turn);
    if (turn === undefined || files.length === 0) continue;
    const size = tokensOfParts(files);
    if (tokens + size <= budget) tokens += size;
    else turns[index] = describeTurnFiles(turn, language);
  }
  return { turns, tokens };
}

/** Returns the images and documents of a turn, those of the question first. */
export function listTurnFiles({ files = [], images = [] }: ConversationTurn): ContentPart[] {
  return [...files, ...images];
}

/** Returns a turn whose question names its images and documents in place of them. */
export function describeTurnFiles(turn: ConversationTurn, language: Locale): ConversationTurn {
  const names = listTurnFiles(turn).map((part) => describePart(part, language));
  if (names.length === 0) return turn;
  const { question, answer } = turn;
  return { question: [question, ...names].join("\n\n"), answer };
}

function describePart(part: ContentPart, language: Locale): string {
  if (part.type === "text") return part.text;
  const name = part.type === "image" ? describeImage(part, language) : describeFile(part, language);
  return `${name.slice(0, -1)}${say(language, { zh: "，这里不再附上]", en: ", not attached again]" })}`;
}
