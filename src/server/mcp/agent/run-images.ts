import type { ContentBlock } from "@modelcontextprotocol/server";
import type { Outcome } from "../../../core/run/outcome.ts";
import type { ConversationStore } from "../../../core/store/store.ts";
import type { IncludedPart } from "../../../runs/ask-schema.ts";
import { isNewestRun } from "../../../runs/outcomes/outcome-for.ts";
import type { CallerScope } from "../../../runs/run-service.ts";

/** Limits the bytes of the images in one result, before base64. */
const mostBytes = 10_000_000;

/**
 * Returns the last images that tools made in a run, as blocks of its result, where the host asked for them. There are none while it
 * is running, and none once the conversation has gone on.
 */
export async function readRunImages(
  { duet, caller }: CallerScope,
  { outcome, include = [] }: { outcome: Outcome; include: readonly IncludedPart[] | undefined },
): Promise<ContentBlock[]> {
  const { status, conversation_id: conversationId } = outcome;
  if (status === "running" || !include.includes("images")) return [];
  const store = await duet.store(caller);
  if (!(await isNewestRun(store, outcome))) return [];
  const turn = (await store.load(conversationId))?.turns.at(-1);
  return readBlocks(store, conversationId, turn?.images ?? []);
}

/** Returns as many of these images as one result may have, the last ones, in their order. */
export function keepNewest(blocks: readonly ContentBlock[]): ContentBlock[] {
  let left = mostBytes;
  const kept = blocks.toReversed().filter((block) => {
    const bytes = block.type === "image" ? Buffer.byteLength(block.data, "base64") : 0;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
  return kept.reverse();
}

async function readBlocks(
  store: ConversationStore,
  conversationId: string,
  images: readonly { image: { hash: string; mediaType: string } }[],
): Promise<ContentBlock[]> {
  const blocks: ContentBlock[] = [];
  let left = mostBytes;
  // The newest ones first: they show how things stand.
  for (const { image } of images.toReversed()) {
    const bytes = await store.readFile?.({ conversationId, hash: image.hash });
    if (bytes === undefined || bytes.length > left) continue;
    left -= bytes.length;
    blocks.unshift({ type: "image", data: Buffer.from(bytes).toString("base64"), mimeType: image.mediaType });
  }
  return blocks;
}
