import type { ContentBlock, EmbeddedResource, ResourceLink } from "@agentclientprotocol/sdk";
import type { Attachment } from "../../core/attachment.ts";
import { decodeBase64 } from "../../kit/base64.ts";

/** Holds what a prompt of an editor says and brings. */
export interface Prompt {
  text: string;
  attachments: Attachment[];
}

/**
 * Reads a prompt. What is embedded comes as a document beside the question; a link is named in the question, and tools may read it.
 * A block that says nothing is left out.
 */
export function readPrompt(blocks: readonly ContentBlock[]): Prompt {
  const prompt: Prompt = { text: "", attachments: [] };
  for (const block of blocks) {
    if (block.type === "text") prompt.text += block.text;
    else if (block.type === "resource_link") addLink(prompt, block);
    else if (block.type === "resource") addResource(prompt, block);
    else {
      const bytes = decodeBase64(block.data);
      if (bytes) prompt.attachments.push({ bytes, mediaType: block.mimeType, name: findName(block) });
    }
  }
  return { ...prompt, text: prompt.text.trim() };
}

function findName(block: ContentBlock): string | undefined {
  return block.type === "image" && block.uri ? toFileName(block.uri) : undefined;
}

function addResource(prompt: Prompt, { resource }: EmbeddedResource): void {
  const name = toFileName(resource.uri);
  const mediaType = resource.mimeType ?? undefined;
  const bytes = "text" in resource ? Buffer.from(resource.text) : decodeBase64(resource.blob);
  if (bytes) prompt.attachments.push({ bytes, name, mediaType });
  addLink(prompt, { name, uri: resource.uri });
}

/** Adds a link behind what was said. Editors put none of the blanks between two of them. */
function addLink(prompt: Prompt, link: Pick<ResourceLink, "name" | "uri">): void {
  const isApart = /(?:^|[\s([{])$/.test(prompt.text);
  prompt.text += `${isApart ? "" : " "}${renderLink(link)}`;
}

/** Renders a link as people write one. A file is named by its path, which tools understand. */
function renderLink({ name, uri }: Pick<ResourceLink, "name" | "uri">): string {
  const place = uri.startsWith("file://") ? toPath(uri) : uri;
  return place.endsWith(name) ? `\`${place}\`` : `${name} (\`${place}\`)`;
}

function toPath(uri: string): string {
  return URL.canParse(uri) ? decodeUri(new URL(uri).pathname) : uri;
}

function toFileName(uri: string): string {
  const path = toPath(uri);
  return path.slice(path.lastIndexOf("/") + 1) || uri;
}

/** A per cent sign that begins no code stays as it is. */
function decodeUri(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
