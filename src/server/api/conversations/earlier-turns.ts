import type { Attachment } from "../../../core/attachment.ts";
import type { FileRef } from "../../../core/model/messages.ts";
import { findFileRef } from "../../../core/store/conversations/find-file.ts";
import type { ConversationStore } from "../../../core/store/store.ts";
import { showValue } from "../../../core/tools/argument-feedback.ts";
import type { CallerScope } from "../../../runs/run-service.ts";
import { HttpRefusalError } from "../../http/response/refusal.ts";
import type { ChatInput } from "../chat/chat-input.ts";
import { openConversationStore, unsupportedByStoreError } from "./find-conversation.ts";

/**
 * Finds the turns that a question names by their numbers, and the attachments that come with it again. Throws `HttpRefusalError` where
 * there is no such turn, because an answer that follows something else than its reader believes would be wrong.
 */
export async function findEarlierTurns(
  scope: CallerScope,
  { conversation_id: id, parent, files_of }: Pick<ChatInput, "conversation_id" | "parent" | "files_of">,
): Promise<{ attachments: Attachment[] }> {
  // A first question follows nothing.
  if (files_of === undefined && (parent === undefined || (parent === 0 && !id))) return { attachments: [] };
  const field = parent === undefined ? "files_of" : "parent";
  if (!id) throw new HttpRefusalError({ status: 400, text: describeMissingConversation(field) });
  const store = await openConversationStore(scope, scope.caller, id);
  if (store.branches === undefined) throw unsupportedByStoreError();
  const turns = (await store.branches.read(id))?.turns ?? [];
  for (const [name, n] of Object.entries({ parent, files_of }))
    if (n !== undefined && n > 0 && !turns.some((turn) => turn.n === n)) throw unknownTurnError(name, n, turns.length);
  return { attachments: files_of === undefined ? [] : await readAttachments(store, id, files_of) };
}

async function readAttachments(store: ConversationStore, id: string, n: number): Promise<Attachment[]> {
  const turn = (await store.load(id, undefined, n))?.turns.at(-1);
  const found = await Promise.all((turn?.files ?? []).map((part) => readStoredFile(store, id, part)));
  return found.filter((file) => file !== undefined);
}

/** Reads a file that came with a question. Of a document that models get as text alone, only its text is stored. */
export async function readStoredFile(
  store: Pick<ConversationStore, "readFile">,
  conversationId: string,
  part: FileRef,
): Promise<Attachment | undefined> {
  const { hash, name, mediaType } = part.type === "image" ? part.image : part.file;
  const bytes = await store.readFile?.({ conversationId, hash });
  if (bytes !== undefined) return { bytes, name, mediaType };
  return part.type === "file" ? { bytes: Buffer.from(part.text), name, mediaType: "text/plain" } : undefined;
}

/** Returns the file of a conversation that has this hash, whichever branch it stands on. */
export async function findFile(store: ConversationStore, id: string, hash: string): Promise<FileRef | undefined> {
  if (store.findFile !== undefined) return store.findFile({ conversationId: id, hash });
  const tree = await store.branches?.read(id);
  for (const branch of tree?.branches.map((each) => each.branch) ?? [undefined]) {
    const found = findFileRef((await store.load(id, branch))?.turns ?? [], hash);
    if (found) return found;
  }
  return undefined;
}

function describeMissingConversation(field: string) {
  return {
    zh: `${field}: 需要同时给出 conversation_id`,
    en: `${field}: conversation_id is needed with it`,
  };
}

function unknownTurnError(field: string, n: number, turns: number): HttpRefusalError {
  const shown = showValue(n);
  return new HttpRefusalError({
    status: 400,
    text: {
      zh: `${field}: 此对话没有第 ${shown} 轮（允许：最大 ${turns}）`,
      en: `${field}: this conversation has no turn ${shown} (allowed: at most ${turns})`,
    },
  });
}
