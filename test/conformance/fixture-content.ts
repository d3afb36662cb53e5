import {
  type AudioContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ImageContent,
  type ServerContext,
  type TextContent,
} from "@modelcontextprotocol/server";
import { isRecord } from "../../src/kit/json.ts";

/** A PNG of one red pixel. */
export const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** A WAV without a sample. */
const silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

export const image: ImageContent = { type: "image", data: pixel, mimeType: "image/png" };
export const audio: AudioContent = { type: "audio", data: silence, mimeType: "audio/wav" };

export function text(words: string): TextContent {
  return { type: "text", text: words };
}

export function result(words: string): CallToolResult {
  return { content: [text(words)] };
}

/** Whether the request itself says that its sender can do this. */
export function declares({ mcpReq }: ServerContext, capability: string): boolean {
  const envelope: unknown = mcpReq.envelope;
  const declared = isRecord(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
  return isRecord(declared) && isRecord(declared[capability]);
}
