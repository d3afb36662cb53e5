import type { ImageRules } from "../core/model/model-settings.ts";

/** Lists the documents that OpenAI and Anthropic read themselves, with their pages as pictures. */
export const readDocuments = ["application/pdf"];

/** Anthropic counts the letters of an image in base64, at most 5 MiB of them (docs.claude.com/en/docs/build-with-claude/vision). */
export const claudeImages: ImageRules = {
  mostBytes: 3_900_000,
  longestSide: 8_000,
  most: 100,
  tokens: { pixelsPerToken: 750, most: 1_600 },
};
/** The later models see more pixels of an image, up to about 3.7 million. */
export const sharpClaudeImages: ImageRules = { ...claudeImages, tokens: { pixelsPerToken: 750, most: 4_800 } };

/** OpenAI's earlier models count the tiles of 512 pixels after they have reduced an image. */
const tiles = { tileSide: 512, longestSide: 2_048, shorterSide: 768 };
export const openaiImages: ImageRules = {
  mostBytes: 20_000_000,
  most: 500,
  tokens: { ...tiles, base: 85, perTile: 170 },
};

/** Its later models count squares of 32 pixels, with a fifth on top, however many there are. */
export const laterOpenaiImages: ImageRules = { ...openaiImages, tokens: { pixelsPerToken: 850, most: 60_000 } };

/** Gemini reads no GIF, and takes 20 MB in a request. */
export const geminiImages: ImageRules = {
  types: ["image/png", "image/jpeg", "image/webp"],
  mostBytes: 14_000_000,
  tokens: { pixelsPerToken: 590, most: 1_120 },
};

/** DashScope reads no GIF, and takes 10 MB of base64 for an image. */
export const qwenImages: ImageRules = {
  types: ["image/png", "image/jpeg", "image/webp"],
  mostBytes: 7_400_000,
  tokens: { pixelsPerToken: 1_024, most: 2_560 },
};
