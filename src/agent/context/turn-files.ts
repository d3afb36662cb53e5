import { describeFile } from "../../core/model/message-content.ts";
import type { ContentPart, FileRef } from "../../core/model/messages.ts";
import type { ConversationTurn } from "../../core/store/conversations/conversation.ts";
import type { Locale, Text } from "../../kit/locale.ts";
import { formatSize } from "../../kit/text/format-count.ts";
import type { Sizing } from "./shrink.ts";
import { notAgain } from "./turn-messages.ts";

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
  const keep = (part: ContentPart): boolean => {
    const size = tokensOfParts([part]);
    if (tokens + size > budget) return false;
    tokens += size;
    return true;
  };
  for (let index = all.length - 1; index >= 0; index--) {
    const turn = all[index];
    if (turn === undefined || listTurnFiles(turn).length === 0) continue;
    // What came with the question goes before what tools returned.
    const files = (turn.files ?? []).filter(keep);
    const images = (turn.images ?? []).toReversed().filter(keep).toReversed();
    const kept = new Set<ContentPart>([...files, ...images]);
    const named = describeTurnFiles(turn, language, (part) => kept.has(part));
    turns[index] = { ...named, ...(files.length > 0 && { files }), ...(images.length > 0 && { images }) };
  }
  return { turns, tokens };
}

/** Returns the images and documents of a turn, those of the question first. */
function listTurnFiles({ files = [], images = [] }: ConversationTurn): FileRef[] {
  return [...files, ...images];
}

/** Returns a turn whose question names its images and documents in place of them, except those that are kept. */
export function describeTurnFiles(
  turn: ConversationTurn,
  language: Locale,
  isKept: (part: ContentPart) => boolean = () => false,
): ConversationTurn {
  // An image that a call has returned is named in its result.
  const named = turn.steps === undefined ? listTurnFiles(turn) : (turn.files ?? []);
  const names = named.flatMap((part) => (isKept(part) ? [] : [describeUnsent(part, language)]));
  const { files: _, images: __, ...words } = turn;
  if (names.length === 0) return words;
  const add = (text: string): string => [text, ...names].join("\n\n");
  const { question, answerPrompt } = words;
  return { ...words, question: add(question), ...(answerPrompt !== undefined && { answerPrompt: add(answerPrompt) }) };
}

/** The words that stand for an image tell its width and height; a document has only its bytes to say how much is missing. */
function describeUnsent(part: FileRef, language: Locale): string {
  if (part.type === "image") return describeFile(part, language, notAgain);
  const size = formatSize(part.file.size);
  return describeFile(part, language, { zh: `${size}，${notAgain.zh}`, en: `${size}, ${notAgain.en}` });
}

/** Lists the images and documents of the last question that came with it and are not sent again. */
export function listUnsentFiles(stored: readonly ConversationTurn[], sent: readonly ConversationTurn[]): FileRef[] {
  const kept = new Set((sent.at(-1)?.files ?? []).map(getHash));
  return (stored.at(-1)?.files ?? []).filter((part) => !kept.has(getHash(part)));
}

function getHash(part: FileRef): string {
  return part.type === "file" ? part.file.hash : part.image.hash;
}

/** Tells the user that what was attached is not there for a question that may be about it. */
export function describeUnsentFiles(files: readonly FileRef[]): Text {
  const list = (language: Locale): string => files.map((part) => describeFile(part, language)).join(" ");
  return {
    zh: `上一个问题的附件太大，这次没有再发送：${list("zh")}。如果要问其中的内容，请重新附上。`,
    en: `The attachments of the last question are too large to be sent again: ${list("en")}. Attach them again to ask about them.`,
  };
}
